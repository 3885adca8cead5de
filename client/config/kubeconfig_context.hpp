// Makes a connection out of one context of a kubeconfig: looks its cluster and user up, decodes
// what they hold, and refuses what client-go refuses or what we cannot do.
#pragma once

#include "client/config/config.hpp"
#include "client/config/kubeconfig.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// The context that `overrides` or else the file names. Errors: configuration, with file, line and
// entry; no value of a secret field is ever part of it.
runtime::Result<ClusterConfig> resolve_context(const Kubeconfig& kubeconfig,
                                               const ConfigOverrides& overrides);

// Sets what a server URL says. `where` begins the message of an error: "--server".
// Errors: configuration.
runtime::Result<> apply_server(ClusterConfig& config, const std::string& url,
                               const std::string& where);

// Takes everything that proves who we are out of a connection without TLS, as client-go does, and
// warns: it could be read on the way. Whom to impersonate proves nothing, and stays.
void drop_credentials_without_tls(ClusterConfig& config);

// Makes the user name and password in the server's URL, if there are any, the only credentials
// beside a client certificate.
void prefer_user_of_url(ClusterConfig& config);

}  // namespace dcm::client
