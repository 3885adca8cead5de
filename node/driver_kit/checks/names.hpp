// Formats of names in the API (apimachinery's util/validation). Each function returns why a text is
// invalid, or an empty text.
#pragma once

#include <string_view>

namespace dcm::driver_kit {

std::string_view problem_with_label(std::string_view name);      // RFC 1123: "gpu-0"
std::string_view problem_with_subdomain(std::string_view name);  // RFC 1123: "node-0.example.com"
std::string_view problem_with_driver_name(std::string_view name);
std::string_view problem_with_pool_name(std::string_view name);
// "[prefix/]name", as a label's key.
std::string_view problem_with_label_key(std::string_view name);
std::string_view problem_with_label_value(std::string_view value);
// "[domain/]name" of an attribute or a capacity.
std::string_view problem_with_attribute_name(std::string_view name);
// semver.org, 2.0.0
std::string_view problem_with_version(std::string_view version);

}  // namespace dcm::driver_kit
