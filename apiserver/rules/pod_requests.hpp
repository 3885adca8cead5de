// Requests and limits: of containers, and those of a pod as a whole (`spec.resources`, KEP-2837).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Completes the resources of a pod that has pod-level ones (KEP-2837, as of 1.37): requests are the
// sum of the containers' requests, or the limits; limits are the sum of the containers' limits if
// all have one.
void default_pod_level_resources(JsonObject& pod_spec);

// `resources` of a container: names, amounts, and requests against limits (k8s.io/kubernetes
// pkg/apis/core/validation).
void validate_container_resources(const JsonObject& resources, const std::string& path,
                                  Causes& causes);
// Validates pod-level resources, also against the containers'.
void validate_pod_level_resources(const JsonObject& pod_spec, const std::string& path,
                                  Causes& causes);

}  // namespace dcm::apiserver
