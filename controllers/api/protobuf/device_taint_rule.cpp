#include <fmt/format.h>

#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/protobuf/parts.hpp"

namespace dcm::api {
namespace {

using protobuf::each_field;
using protobuf::Field;

// An empty part would match no device, but must not be mistaken for "any".
void read_part(const Field& field, std::string_view name, InternedString& part,
               DeviceTaintRule& rule) {
  part = InternedString(field.text());
  if (part.empty()) rule.unknown_selector_field = name;
}

void read_selector(const Field& selector, DeviceTaintRule& rule) {
  DeviceSelector& parts = rule.selector.emplace();
  each_field(selector, [&](const Field& field) {
    if (field.number() == 2) return read_part(field, "driver", parts.driver, rule);
    if (field.number() == 3) return read_part(field, "pool", parts.pool, rule);
    if (field.number() == 4) return read_part(field, "device", parts.device, rule);
    rule.unknown_selector_field = fmt::format("(field {})", field.number());
  });
}

void read_condition(const Field& from, DeviceTaintRule& rule) {
  std::string_view type;
  EvictionCondition condition;
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) type = field.bytes();
    if (field.number() == 2) condition.status = condition_status_of(field.bytes());
    if (field.number() == 3) condition.observed_generation = field.integer();
    if (field.number() == 4) {
      condition.last_transition = protobuf::read_time(field).value_or(runtime::WallTime::min());
    }
    if (field.number() == 5) condition.reason = field.text();
    if (field.number() == 6) condition.message = field.text();
  });
  if (type == kEvictionInProgress) rule.condition = std::move(condition);
}

void read_rule_metadata(const Field& metadata, DeviceTaintRule& rule) {
  protobuf::read_metadata(metadata, rule.meta, [&](const Field& field) {
    if (field.number() == protobuf::kGeneration) rule.generation = field.integer();
  });
}

struct RuleFields {
  static constexpr std::string_view kKind = "DeviceTaintRule";

  void read_field(const Field& field, std::string_view, DeviceTaintRule& rule) const {
    if (field.number() == 1) return read_rule_metadata(field, rule);
    if (field.number() != 2 && field.number() != 3) return;
    const bool is_spec = field.number() == 2;
    each_field(field, [&](const Field& part) {
      if (is_spec && part.number() == 1) read_selector(part, rule);
      if (is_spec && part.number() == 2) rule.taint = protobuf::read_taint(part);
      if (!is_spec && part.number() == 1) read_condition(part, rule);
    });
  }
  bool is_kept(const DeviceTaintRule&) const { return true; }
};

}  // namespace

std::unique_ptr<Decoder<DeviceTaintRule>> make_protobuf_rule_decoder() {
  return std::make_unique<protobuf::ProtobufDecoder<DeviceTaintRule, RuleFields>>();
}

}  // namespace dcm::api
