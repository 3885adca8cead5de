// Turns a user of a kubeconfig into an identity: tokens, certificates, passwords, plugins, and
// impersonation. Rejects what client-go rejects or what we do not support.
#pragma once

#include "client/config/config.hpp"
#include "client/config/kubeconfig.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// Errors: configuration, with file, line and entry; never a secret value.
runtime::Result<> apply_user(ClusterConfig& config, const KubeconfigUser& user);

}  // namespace dcm::client
