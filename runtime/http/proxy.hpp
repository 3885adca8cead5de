// Connects through a proxy: CONNECT of an HTTP proxy (RFC 9110, 9.3.6), or SOCKS 5 (socks5.hpp).
#pragma once

#include <optional>
#include <string>

#include "runtime/http/stream.hpp"
#include "runtime/http/url.hpp"

namespace dcm::http {

// A proxy and our credentials for it. Holds a secret: never logged.
struct Proxy {
  Endpoint endpoint;               // also says whether to use TLS to the proxy itself
  std::string authorization = {};  // value of Proxy-Authorization; empty: none
  ProxyProtocol protocol = ProxyProtocol::http_connect;
  std::optional<UrlUser> socks5_user = {};
  friend bool operator==(const Proxy&, const Proxy&) = default;
};

// Asks the proxy at the other end of `below` for a tunnel to `target`; afterwards `below` is that
// tunnel. `below` must outlive the task. Errors: unreachable (the proxy refuses, or cannot reach
// it; the message quotes its answer), disconnected, deadline_exceeded, malformed.
Task<Result<>> open_tunnel(Stream& below, const Proxy& proxy, Endpoint target, Deadline deadline);

}  // namespace dcm::http
