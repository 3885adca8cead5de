#include "controllers/api/device_taint_rule.hpp"

#include <fmt/format.h>

#include "client/api/json/decoder.hpp"
#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::api {
namespace {

// One part of the selector. An empty part would match no device, but must not be mistaken for
// "any".
template <FieldName kName, std::uint32_t kNumber>
constexpr auto part(InternedString DeviceSelector::* member) {
  using Text = std::optional<std::string_view>;
  return row<kName, kNumber>(one<Text>([member](Text text, DeviceTaintRule& rule) {
    if (!text) return;
    (*rule.selector).*member = *text;
    if (text->empty()) rule.unknown_selector_field = kName.view();
  }));
}

std::string name_of(std::string_view name) {
  return std::string(name);
}
std::string name_of(std::uint32_t number) {
  return fmt::format("(field {})", number);
}

constexpr auto selector() {
  constexpr auto note_unknown = [](const auto& key, const auto& from, DeviceTaintRule& rule) {
    if (!from.is_null()) rule.unknown_selector_field = name_of(key);
    return true;
  };
  return present(
      [](DeviceTaintRule& rule) { rule.selector.emplace(); },
      rows(part<"driver", 2>(&DeviceSelector::driver), part<"pool", 3>(&DeviceSelector::pool),
           part<"device", 4>(&DeviceSelector::device))
          .otherwise(note_unknown));
}

void take_condition(Condition&& read, DeviceTaintRule& rule) {
  if (read.type == kEvictionInProgress) rule.condition = std::move(read);
}

}  // namespace

constexpr auto fields_of(const DeviceTaintRule*) {
  return rows(row<"metadata", 1>(metadata(row<"generation", 7>(&DeviceTaintRule::generation))),
              row<"spec", 2>(rows(row<"deviceSelector", 1>(selector()),
                                  row<"taint", 2>(&DeviceTaintRule::taint))),
              row<"status", 3>(rows(row<"conditions", 1>(each<Condition>(take_condition)))));
}

namespace {

struct RuleFields : TableFields<DeviceTaintRule> {
  static constexpr std::string_view kKind = "DeviceTaintRule";
};

}  // namespace

std::unique_ptr<Decoder<DeviceTaintRule>> make_json_rule_decoder() {
  return json::make_decoder<DeviceTaintRule>(RuleFields());
}

std::unique_ptr<Decoder<DeviceTaintRule>> make_protobuf_rule_decoder() {
  return protobuf::make_decoder<DeviceTaintRule>(RuleFields());
}

}  // namespace dcm::api
