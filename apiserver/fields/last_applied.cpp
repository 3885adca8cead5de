#include "apiserver/fields/last_applied.hpp"

#include <fmt/format.h>

#include "apiserver/fields/apply_errors.hpp"
#include "apiserver/fields/typed.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string_view last_applied(const JsonObject& object, const Manager& manager) {
  if (manager.name != "kubectl") return {};
  return text_at(object, {"metadata", "annotations", kLastApplied});
}

bool is_typed(const ResourceType& type, JsonObject object, const Manager& manager) {
  if (!type.strategy->untyped(object).empty()) return false;
  if (!check_unique_items(type, object, manager.api_version)) return false;
  if (type.defined != nullptr) return true;
  const TypedResult typed =
      decode_typed(object, field_type(manager.api_version, type.kind), type.kind);
  return !typed.problem && typed.unknown.empty();
}

// As Go's encoder writes a map: in order, safe in HTML, with a newline at the end.
std::string encode(const JsonObject& object) {
  std::string text;
  for (const char c : serialize_as_go(in_order(object))) {
    const bool is_escaped = c == '<' || c == '>' || c == '&';
    text += is_escaped ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  }
  return text + "\n";
}

}  // namespace

FieldSet fields_last_applied(const ResourceType& type, const JsonObject& live,
                             const Manager& manager) {
  std::string problem;
  const auto json = parse(last_applied(live, manager), problem);
  if (!json || !json->is_object()) return {};
  JsonObject last = json->get_object();
  if (text_at(last, {"apiVersion"}) != manager.api_version) return {};
  if (text_at(last, {"kind"}) != type.kind) return {};
  last.erase("apiVersion");
  last.erase("kind");
  drop_nulls(last);
  if (!is_typed(type, last, manager)) return {};
  FieldSet fields = fields_of(last, type.schema());
  const FieldChanges changes = compare_fields(last, live, type.schema());
  fields.remove_all(changes.changed);
  fields.remove_all(changes.removed);
  return fields;
}

void renew_last_applied(const ResourceType& type, const Manager& manager, const JsonObject& applied,
                        JsonObject& object) {
  if (last_applied(object, manager).empty()) return;
  JsonObject last = applied;
  last["apiVersion"] = manager.api_version;
  last["kind"] = type.kind;
  Json* const applied_annotations = find(last, {"metadata", "annotations"});
  if (applied_annotations != nullptr && applied_annotations->is_object()) {
    applied_annotations->get_object().erase(kLastApplied);
  }
  JsonObject& annotations = child(child(object, "metadata"), "annotations");
  annotations[kLastApplied] = encode(last);
  // Rather none than one that makes the object invalid.
  constexpr std::size_t kBytesMax = 256 * 1024;
  std::size_t bytes = 0;
  for (const auto& [name, value] : annotations) bytes += name.size() + as_text(value).size();
  if (bytes > kBytesMax) annotations.stable_erase(kLastApplied);
  if (annotations.empty()) child(object, "metadata").stable_erase("annotations");
}

}  // namespace dcm::apiserver
