// The way through an HTTP proxy: CONNECT (RFC 9110, 9.3.6).
#pragma once

#include <string>

#include "runtime/http/stream.hpp"

namespace dcm::http {

// A proxy, and what it wants to see. Holds a secret: never logged.
struct Proxy {
  Endpoint endpoint;               // with TLS to the proxy itself, or without
  std::string authorization = {};  // value of Proxy-Authorization; empty: none
  friend bool operator==(const Proxy&, const Proxy&) = default;
};

// Asks the proxy at the other end of `below` for a tunnel to `target`; then `below` is that tunnel.
// It must outlive the task. Errors: unreachable (the proxy refuses, or cannot reach it; the message
// says which status it answered), disconnected, deadline_exceeded, malformed.
Task<Result<>> open_tunnel(Stream& below, const Proxy& proxy, Endpoint target, Deadline deadline);

}  // namespace dcm::http
