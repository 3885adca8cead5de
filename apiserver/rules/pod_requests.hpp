// Requests and limits: of containers, and those of a pod as a whole (`spec.resources`, KEP-2837).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// A pod with pod-level limits requests the sum of its containers' requests, or its limits if they
// request nothing.
void default_requests_as_a_whole(JsonObject& pod_spec);

// `resources` of a container: amounts, and requests against limits (k8s.io/kubernetes
// pkg/apis/core/validation).
void validate_requests_and_limits(const JsonObject& resources, const std::string& path,
                                  Causes& causes);

}  // namespace dcm::apiserver
