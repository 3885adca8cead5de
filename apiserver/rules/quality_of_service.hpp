// The quality-of-service class of a pod (k8s.io/kubernetes pkg/apis/core/helper/qos).
#pragma once

#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// "Guaranteed", "Burstable" or "BestEffort": from the pod-level CPU and memory requests, otherwise
// from the containers'. Other resources do not count.
std::string_view qos_class(const JsonObject& pod_spec);

}  // namespace dcm::apiserver
