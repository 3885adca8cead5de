// Validates the spec of a pod, or of a workload's pod template (k8s.io/kubernetes
// pkg/apis/core/validation/validation.go, ValidatePodSpec).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `path` is that of the spec: "spec", "spec.template.spec". `claims` are the templates of further
// volumes, which a StatefulSet has beside those of its pods.
void validate_pod_spec(const JsonObject& spec, const std::string& path, Causes& causes,
                       const JsonArray& claims = {});

}  // namespace dcm::apiserver
