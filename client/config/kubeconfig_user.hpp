// Makes an identity out of a user of a kubeconfig: tokens, certificates, passwords, plugins, and
// impersonation. Refuses what client-go refuses or what we cannot do.
#pragma once

#include "client/config/config.hpp"
#include "client/config/kubeconfig.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// Errors: configuration, with file, line and entry; never a secret value.
runtime::Result<> apply_user(ClusterConfig& config, const KubeconfigUser& user);

}  // namespace dcm::client
