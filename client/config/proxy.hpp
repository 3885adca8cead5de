// Whether connections to the API server use a proxy: `proxy-url` of the cluster, or else
// HTTPS_PROXY, HTTP_PROXY and NO_PROXY, read as Go's net/http (and so kubectl) does.
#pragma once

#include <optional>
#include <string_view>

#include "client/config/config.hpp"
#include "runtime/error.hpp"
#include "runtime/http/proxy.hpp"

namespace dcm::client {

// Parses "http://ada:secret@proxy:3128". `where` begins error messages. Errors: configuration,
// never with the user name or password.
runtime::Result<http::Proxy> make_proxy(std::string_view url, std::string_view where);

// The proxy for `server` according to the environment. Loopback addresses use no proxy. Errors: as
// for make_proxy.
runtime::Result<std::optional<http::Proxy>> proxy_of_environment(const http::Endpoint& server,
                                                                 const Environment& environment);

// Whether NO_PROXY names a host: "*", names and their subdomains (".a.com": only these), addresses,
// networks in CIDR notation, each with or without a port, separated by commas.
bool is_excluded(std::string_view no_proxy, const http::Endpoint& server);

}  // namespace dcm::client
