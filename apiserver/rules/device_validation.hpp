// Validates devices, their taints, and tolerations of these taints (k8s.io/kubernetes
// pkg/apis/resource/validation): texts and fields match the real server.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Validates `spec.devices` of a slice. `old_spec` is null for a new one.
void validate_devices(const JsonObject& slice_spec, const JsonObject* old_spec,
                      const std::string& path, Causes& causes);

void validate_device_taint(const JsonObject& taint, const std::string& path, Causes& causes);
void validate_device_toleration(const JsonObject& toleration, const std::string& path,
                                Causes& causes);
// Validates the binding conditions of a device and its binding failure conditions against each
// other.
void validate_binding_conditions(const JsonObject& device, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
