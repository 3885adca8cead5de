#include "apiserver/definitions/scale.hpp"

#include <limits>

#include <fmt/format.h>

#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::int64_t kReplicasMax = std::numeric_limits<std::int32_t>::max();

// Formatted like apimachinery's NestedInt64.
std::string wrong_type(const std::string& path, const Json& value, std::string_view expected) {
  std::string_view type = "string";
  if (value.is_bool()) type = "bool";
  if (value.is_int64()) type = "int64";
  if (value.is_double()) type = "float64";
  if (value.is_array()) type = "[]interface {}";
  if (value.is_object()) type = "map[string]interface {}";
  std::string shown = serialize(value);
  if (value.is_string()) shown = view(value.get_string());
  if (value.is_double()) shown = fmt::format("{}", value.get_double());
  return fmt::format("{} accessor error: {} is of the type {}, expected {}", path, shown, type,
                     expected);
}

}  // namespace

std::vector<std::string> steps_of(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  const auto steps = split(path, '.');
  return {steps.begin(), steps.end()};
}

const Json* value_at(const JsonObject& object, std::string_view path) {
  const JsonObject* at = &object;
  const Json* value = nullptr;
  for (const std::string& step : steps_of(path)) {
    value = at == nullptr ? nullptr : at->if_contains(step);
    if (value == nullptr) return nullptr;
    at = value->if_object();
  }
  return value;
}

void validate_replicas(const JsonObject& object, const std::string& path, Causes& causes) {
  const Json* const value = value_at(object, path);
  if (value == nullptr) return;
  if (!value->is_int64()) {
    causes.push_back(invalid_value(path, Json(0), wrong_type(path, *value, "int64")));
  } else if (value->get_int64() < 0) {
    causes.push_back(invalid_value(path, *value, "should be a non-negative integer"));
  } else if (value->get_int64() > kReplicasMax) {
    causes.push_back(invalid_value(
        path, *value, fmt::format("should be less than or equal to {}", kReplicasMax)));
  }
}

void validate_scale_selector(const JsonObject& object, const std::string& path, Causes& causes) {
  const Json* const value = path.empty() ? nullptr : value_at(object, path);
  if (value == nullptr || value->is_string()) return;
  causes.push_back(invalid_value(path, Json(""), wrong_type(path, *value, "string")));
}

}  // namespace dcm::apiserver
