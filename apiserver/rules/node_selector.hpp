// Node selectors: of allocations, slices and persistent volumes (k8s.io/kubernetes
// pkg/apis/core/validation).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_node_selector(const JsonObject& selector, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
