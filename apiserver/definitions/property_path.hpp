// The paths of schemas in causes.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"

namespace dcm::apiserver {

// The path of a property's schema, within the schema at `path`.
inline std::string property_path(const std::string& path, std::string_view name) {
  return fmt::format("{}.properties[{}]", path, name);
}

// Calls `visit(schema, its path)` for the schemas that a schema combines.
void for_each_alternative(const JsonObject& schema, const std::string& path, const auto& visit) {
  if (has(schema, {"not"})) visit(object_at(schema, {"not"}), path + ".not");
  for (const auto* name : {"allOf", "oneOf", "anyOf"}) {
    const JsonArray& schemas = array_at(schema, {name});
    for (const auto& [one, at] : with_paths(schemas, fmt::format("{}.{}", path, name))) {
      visit(one, at);
    }
  }
}

}  // namespace dcm::apiserver
