#include "apiserver/definitions/embedded.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/rules/metadata_rules.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

void validate_text(const JsonObject& object, std::string_view name, const std::string& path,
                   Causes& causes) {
  const std::string field = fmt::format("{}.{}", path, name);
  const Json* const value = object.if_contains(name);
  if (value == nullptr) {
    causes.push_back(required_value(field));
  } else if (!value->is_string()) {
    causes.push_back(invalid_value(field, *value, "must be a string"));
  } else if (value->get_string().empty()) {
    causes.push_back(invalid_value(field, *value, "must not be empty"));
  } else if (name == "apiVersion" && std::ranges::count(value->get_string(), '/') > 1) {
    causes.push_back(invalid_value(
        field, *value,
        fmt::format("unexpected GroupVersion string: {}", view(value->get_string()))));
  } else if (name == "kind") {
    validate_kind_name(view(value->get_string()), field, causes);
  }
}

void validate_resource(const JsonObject& object, const std::string& path, Causes& causes) {
  validate_text(object, "apiVersion", path, causes);
  validate_text(object, "kind", path, causes);
  const Json* const metadata = object.if_contains("metadata");
  if (metadata == nullptr) return;
  const std::string field = path + ".metadata";
  if (!metadata->is_object()) {
    causes.push_back(invalid_value(field, *metadata, "must be an object"));
    return;
  }
  JsonObject named{{"metadata", *metadata}};
  if (!has(named, {"metadata", "name"})) child(named, "metadata")["name"] = "fakename";
  Causes found;
  validate_metadata("", named, NameRule::path_segment, found);
  for (Cause& cause : found) {
    cause.field = path + "." + cause.field;
    causes.push_back(std::move(cause));
  }
}

std::string below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

}  // namespace

void validate_embedded(const Json& value, const Structural& schema, const std::string& path,
                       Causes& causes) {
  if (value.is_array() && schema.items != nullptr) {
    std::size_t index = 0;
    for (const Json& item : value.get_array()) {
      validate_embedded(item, *schema.items, fmt::format("{}[{}]", path, index++), causes);
    }
  }
  if (!value.is_object()) return;
  const JsonObject& object = value.get_object();
  if (schema.is_embedded_resource) validate_resource(object, path, causes);
  for (const auto& [name, member] : object) {
    const bool is_named = schema.properties.contains(std::string_view(name));
    const Structural* const known = schema.member(name);
    if (known == nullptr) continue;
    validate_embedded(
        member, *known,
        is_named ? below(path, name) : fmt::format("{}[{}]", path, std::string_view(name)), causes);
  }
}

}  // namespace dcm::apiserver
