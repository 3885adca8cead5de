// A number of pods, or a share of them as a string: "25%" (apimachinery's util/intstr).
#pragma once

#include <cstdint>
#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The number must not be negative, and a text must be a percentage.
void validate_int_or_percent(const Json& value, const std::string& path, Causes& causes);
// A percentage must be at most 100%.
void validate_at_most_100_percent(const Json& value, const std::string& path, Causes& causes);
// The number of pods, or the percentage as a number; 0 for anything else.
std::int64_t amount_of(const Json& value);

}  // namespace dcm::apiserver
