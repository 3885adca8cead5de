#include "client/api/json/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;

// One part of the selector. Null is the same as a missing part. An empty part would match no
// device, but must not be mistaken for "any".
bool read_part(Reader& reader, std::string_view key, value field, InternedString& part,
               DeviceTaintRule& rule) {
  if (json::is_null(field)) return true;
  if (!reader.text(field, part)) return false;
  if (part.empty()) rule.unknown_selector_field = key;
  return true;
}

bool read_selector(Reader& reader, value selector, DeviceTaintRule& rule) {
  if (json::is_null(selector)) return true;
  DeviceSelector& parts = rule.selector.emplace();
  return reader.each_field(selector, [&](std::string_view key, value field) {
    if (key == "driver") return read_part(reader, key, field, parts.driver, rule);
    if (key == "pool") return read_part(reader, key, field, parts.pool, rule);
    if (key == "device") return read_part(reader, key, field, parts.device, rule);
    if (!json::is_null(field)) rule.unknown_selector_field = key;
    return true;
  });
}

bool read_spec(Reader& reader, value spec, DeviceTaintRule& rule) {
  return reader.each_field(spec, [&](std::string_view key, value field) {
    if (key == "deviceSelector") return read_selector(reader, field, rule);
    if (key == "taint") return json::read_taint(reader, field, rule.taint);
    return true;
  });
}

bool read_condition_status(Reader& reader, value field, ConditionStatus& status) {
  std::string_view text;
  if (!reader.view(field, text)) return false;
  status = condition_status_of(text);
  return true;
}

bool read_condition(Reader& reader, value item, DeviceTaintRule& rule) {
  EvictionCondition condition;
  std::string_view type;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "type") return reader.view(field, type);
    if (key == "status") return read_condition_status(reader, field, condition.status);
    if (key == "reason") return reader.text(field, condition.reason);
    if (key == "message") return reader.text(field, condition.message);
    if (key == "observedGeneration") {
      return reader.integer(field, condition.observed_generation);
    }
    if (key != "lastTransitionTime") return true;
    std::optional<runtime::WallTime> time;
    if (!json::read_time(reader, field, time)) return false;
    condition.last_transition = time.value_or(runtime::WallTime::min());
    return true;
  });
  if (is_read && type == kEvictionInProgress) rule.condition = std::move(condition);
  return is_read;
}

struct RuleFields {
  static constexpr std::string_view kKind = "DeviceTaintRule";

  bool read_field(Reader& reader, std::string_view key, value field, DeviceTaintRule& rule) const {
    if (key == "metadata") return read_rule_metadata(reader, field, rule);
    if (key == "spec") return read_spec(reader, field, rule);
    if (key != "status") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name != "conditions") return true;
      return reader.each_item(part, [&](value item) { return read_condition(reader, item, rule); });
    });
  }
  bool is_kept(const DeviceTaintRule&) const { return true; }

 private:
  static bool read_rule_metadata(Reader& reader, value metadata, DeviceTaintRule& rule) {
    return json::read_metadata(reader, metadata, rule.meta, [&](std::string_view key, value field) {
      return key != "generation" || reader.integer(field, rule.generation);
    });
  }
};

}  // namespace

std::unique_ptr<Decoder<DeviceTaintRule>> make_json_rule_decoder() {
  return std::make_unique<json::JsonDecoder<DeviceTaintRule, RuleFields>>();
}

}  // namespace dcm::api
