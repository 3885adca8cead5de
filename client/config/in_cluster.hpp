// The identity that a pod has of itself: its service account, mounted by kubelet, and the address
// of the API server in its environment (as client-go's rest.InClusterConfig).
#pragma once

#include <optional>

#include "client/config/config.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// Nothing where we are in no pod, or in one without a token (automountServiceAccountToken: false).
// Errors: configuration (an address that is none).
runtime::Result<std::optional<ClusterConfig>> load_in_cluster_config(
    const Environment& environment);

}  // namespace dcm::client
