// Validates what a pod is to be: its own spec, or that of a workload's template (k8s.io/kubernetes
// pkg/apis/core/validation/validation.go, ValidatePodSpec).
#pragma once

#include <string>
#include <vector>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `path` is that of the spec: "spec", "spec.template.spec". `claims` are the templates of further
// volumes, which a StatefulSet has beside those of its pods.
void validate_pod_spec(const JsonObject& spec, const std::string& path, Causes& causes,
                       const JsonArray& claims = {});
// What is accepted, but will not work as it says (k8s.io/kubernetes pkg/api/pod/warnings.go; only
// the warnings about times and variables).
std::vector<std::string> warnings_of_pod_spec(const JsonObject& spec, const std::string& path);

}  // namespace dcm::apiserver
