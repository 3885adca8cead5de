#include "apiserver/rules/conditions.hpp"

#include <algorithm>
#include <set>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"
#include "runtime/ascii.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxReason = 1024;
constexpr std::size_t kMaxMessage = 32 * 1024;

constexpr std::string_view kReasonRule =
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. "
    "'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex "
    "used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

bool is_reason(std::string_view text) {
  return runtime::is_letter(text.front()) && text.back() != ',' && text.back() != ':' &&
         std::ranges::all_of(text, [](char c) {
           return runtime::is_alphanumeric(c) || c == '_' || c == ',' || c == ':';
         });
}

void validate_reason(std::string_view reason, const std::string& path, Causes& causes) {
  if (reason.empty()) {
    causes.push_back(required_value(path));
    return;
  }
  if (!is_reason(reason)) causes.push_back(invalid_value(path, Json(reason), kReasonRule));
  if (reason.size() > kMaxReason) causes.push_back(too_long(path, kMaxReason));
}

void validate_condition(const JsonObject& condition, const std::string& path, Causes& causes) {
  const std::string_view type = text_at(condition, {"type"});
  if (type.empty()) {
    causes.push_back(required_value(path + ".type", "is required"));
  } else {
    validate_qualified_name(type, path + ".type", causes);
  }
  require_choice(text_at(condition, {"status"}), {"False", "True", "Unknown"}, path + ".status",
                 causes);
  const auto generation = integer_at(condition, {"observedGeneration"});
  if (generation && *generation < 0) {
    causes.push_back(invalid_value(path + ".observedGeneration", Json(*generation),
                                   "must be greater than or equal to zero"));
  }
  require_text(condition, "lastTransitionTime", path, causes);
  validate_reason(text_at(condition, {"reason"}), path + ".reason", causes);
  if (text_at(condition, {"message"}).size() > kMaxMessage) {
    causes.push_back(too_long(path + ".message", kMaxMessage));
  }
}

}  // namespace

void validate_conditions(const JsonArray& conditions, const std::string& path, Causes& causes) {
  std::set<std::string_view> types;
  for (const auto& [condition, here] : with_paths(conditions, path)) {
    const std::string_view type = text_at(condition, {"type"});
    if (!types.insert(type).second) causes.push_back(duplicate_value(here, Json(type)));
    validate_condition(condition, here, causes);
  }
}

void complete_conditions(JsonObject& object) {
  for_each_object(find(object, {"status", "conditions"}),
                  [](JsonObject& condition) { set_default(condition, "message", ""); });
}

void set_condition(JsonArray& conditions, JsonObject condition, const std::string& now) {
  condition["lastTransitionTime"] = now;
  for (Json& item : conditions) {
    if (!item.is_object()) continue;
    JsonObject& old = item.get_object();
    if (text_at(old, {"type"}) != text_at(condition, {"type"})) continue;
    if (text_at(old, {"status"}) == text_at(condition, {"status"})) {
      restore(condition, old, "lastTransitionTime");
    }
    old = std::move(condition);
    return;
  }
  conditions.push_back(std::move(condition));
}

const JsonObject* find_condition(const JsonArray& conditions, std::string_view type) {
  for (const Json& item : conditions) {
    if (item.is_object() && text_at(item.get_object(), {"type"}) == type) return &item.get_object();
  }
  return nullptr;
}

bool has_condition(const JsonObject& object, std::string_view type) {
  return std::ranges::any_of(array_at(object, {"status", "conditions"}), [&](const Json& item) {
    const JsonObject& condition = as_object(item);
    return text_at(condition, {"type"}) == type && text_at(condition, {"status"}) == "True";
  });
}

}  // namespace dcm::apiserver
