// Validates parts of pods (k8s.io/kubernetes pkg/apis/core/validation): names, ports
// and environment of containers, tolerations, gates.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Fields of all containers, including init containers.
void validate_container_parts(const JsonObject& container, const std::string& path, Causes& causes);
void validate_pod_tolerations(const JsonArray& tolerations, const std::string& path,
                              Causes& causes);
void validate_scheduling_gates(const JsonArray& gates, const std::string& path, Causes& causes);
// Validates the taints of a node.
void validate_node_taints(const JsonArray& taints, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
