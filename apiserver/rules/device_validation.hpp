// Validates devices, their taints, and tolerations of these taints (k8s.io/kubernetes
// pkg/apis/resource/validation): texts and fields match the real server. Counters, request policies
// and binding conditions are not checked.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Validates `spec.devices` of a slice.
void validate_devices(const JsonObject& slice_spec, const std::string& path, Causes& causes);

void validate_device_taint(const JsonObject& taint, const std::string& path, Causes& causes);
void validate_device_toleration(const JsonObject& toleration, const std::string& path,
                                Causes& causes);
}  // namespace dcm::apiserver
