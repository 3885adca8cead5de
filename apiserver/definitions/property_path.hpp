// The paths of schemas in causes.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dcm::apiserver {

// The path of a property's schema, within the schema at `path`.
inline std::string property_path(const std::string& path, std::string_view name) {
  return fmt::format("{}.properties[{}]", path, name);
}

}  // namespace dcm::apiserver
