// Validates the policies by which a part of a device's capacity can be requested (KEP-5075;
// k8s.io/kubernetes pkg/apis/resource/validation).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

enum class Allocations { single, multiple };

// `capacity` is an entry of a device's `capacity`. Only a device that allows multiple allocations
// may have a policy.
void validate_capacity(const JsonObject& capacity, Allocations allocations, const std::string& path,
                       Causes& causes);

}  // namespace dcm::apiserver
