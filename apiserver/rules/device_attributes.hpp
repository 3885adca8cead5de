// Validates attributes of devices.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// "[domain/]name".
void validate_attribute_name(std::string_view name, const std::string& path, Causes& causes);
// "domain/name", as constraints name an attribute.
void validate_full_attribute_name(std::string_view name, const std::string& path, Causes& causes);
// An attribute has exactly one of the typed values.
void validate_attribute(const JsonObject& attribute, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
