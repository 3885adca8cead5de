#include "test/apiserver/conditions.hpp"

#include <set>

#include "test/apiserver/strategy.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxMessage = 32 * 1024;

void validate_condition(const JsonObject& condition, const std::string& path, Causes& causes) {
  for (const auto* key : {"type", "status", "lastTransitionTime", "reason"}) {
    if (text_at(condition, {key}).empty()) causes.push_back(required_value(path + "." + key));
  }
  const std::string_view status = text_at(condition, {"status"});
  if (!status.empty() && status != "True" && status != "False" && status != "Unknown") {
    causes.push_back(not_supported(path + ".status", Json(status), {"False", "True", "Unknown"}));
  }
  if (text_at(condition, {"message"}).size() > kMaxMessage) {
    causes.push_back(
        {"FieldValueTooLong", "Too long: may not be more than 32768 bytes", path + ".message"});
  }
}

}  // namespace

void validate_conditions(const JsonArray& conditions, const std::string& path, Causes& causes) {
  std::set<std::string_view> types;
  std::size_t index = 0;
  for (const Json& item : conditions) {
    const std::string here = indexed(path, index++);
    if (!item.is_object()) continue;
    const std::string_view type = text_at(item.get_object(), {"type"});
    if (!types.insert(type).second) causes.push_back(duplicate_value(here, Json(type)));
    validate_condition(item.get_object(), here, causes);
  }
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

}  // namespace dcm::apiserver
