// What the API rejects in ValidatingAdmissionPolicies and their bindings (k8s.io/kubernetes
// pkg/apis/admissionregistration/validation).
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `old` is null if the object is new.
void validate_policy(const JsonObject& policy, const JsonObject* old, Causes& causes);
void validate_policy_binding(const JsonObject& binding, const JsonObject* old, Causes& causes);

// Whether an expression of the policy uses the authorizer.
bool mentions_authorizer(const JsonObject& policy);

}  // namespace dcm::apiserver
