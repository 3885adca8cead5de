// Turns one context of a kubeconfig into connection settings: looks up its cluster and user,
// decodes their contents, and rejects what client-go rejects or what we do not support.
#pragma once

#include "client/config/config.hpp"
#include "client/config/kubeconfig.hpp"
#include "runtime/error.hpp"
#include "runtime/http/url.hpp"

namespace dcm::client {

// The context named by `overrides`, or else by the file. Errors: configuration, with file, line and
// entry; never with the value of a secret field.
runtime::Result<ClusterConfig> resolve_context(const Kubeconfig& kubeconfig,
                                               const ConfigOverrides& overrides);

// Reads the URL of an API server: "10.0.0.1:6443" is "http://10.0.0.1:6443", as in client-go: no
// TLS, so no credentials. Errors: configuration; a user name or password is never shown.
runtime::Result<http::ServerUrl> parse_server(const std::string& text);

// Sets the fields given by a server URL. `where` begins error messages: "--server". Errors:
// configuration.
runtime::Result<> apply_server(ClusterConfig& config, const std::string& url,
                               const std::string& where);

// Removes all credentials from a connection without TLS, as client-go does, and warns: they could
// be read on the way. Impersonation is not a credential, and stays.
void drop_credentials_without_tls(ClusterConfig& config);

// Makes user name and password of the server's URL, if present, the only credentials besides a
// client certificate.
void prefer_user_of_url(ClusterConfig& config);

}  // namespace dcm::client
