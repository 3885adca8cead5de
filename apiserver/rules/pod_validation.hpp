// Validates a pod, and changes of it (k8s.io/kubernetes pkg/apis/core/validation/validation.go).
// Security contexts and affinity are not checked.
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_new_pod(const JsonObject& pod, Causes& causes);
// A write to the main path.
void validate_pod_change(const JsonObject& next, const JsonObject& old, Causes& causes);
void validate_pod_status(const JsonObject& next, const JsonObject& old, Causes& causes);

}  // namespace dcm::apiserver
