// Validates a pod, and changes of it (k8s.io/kubernetes pkg/apis/core/validation/validation.go).
// Security contexts and affinity are not checked.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"
#include "apiserver/rules/checks.hpp"

namespace dcm::apiserver {

void validate_new_pod(const JsonObject& pod, Causes& causes);
// A write to the main path.
void validate_pod_change(const JsonObject& next, const JsonObject& old, Causes& causes);
void validate_pod_status(const JsonObject& next, const JsonObject& old, Causes& causes);
// The name of a claim's status; `claims` are the names in spec.resourceClaims.
void require_known_claim(std::string_view name, const Texts& claims, const std::string& path,
                         Causes& causes);

}  // namespace dcm::apiserver
