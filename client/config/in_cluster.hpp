// The identity of the pod that we run in: its service account, mounted by kubelet, and the address
// of the API server from its environment (as client-go's rest.InClusterConfig).
#pragma once

#include <optional>

#include "client/config/config.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// nullopt outside of a pod, or without a token (automountServiceAccountToken: false). Errors:
// configuration (an invalid address).
runtime::Result<std::optional<ClusterConfig>> load_in_cluster_config(
    const Environment& environment);

}  // namespace dcm::client
