// A number of pods, or a share of them as a string: "25%" (apimachinery's util/intstr).
#pragma once

#include <cstdint>
#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Nothing negative, and no other text than a percentage.
void validate_int_or_percent(const Json& value, const std::string& path, Causes& causes);
void validate_at_most_all(const Json& value, const std::string& path, Causes& causes);
// The number, of pods or percent; 0 for anything else.
std::int64_t amount_of(const Json& value);

}  // namespace dcm::apiserver
