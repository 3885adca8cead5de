// A server's identity if none was configured: encryption without trust, as the components of a
// Kubernetes control plane start with.
#pragma once

#include <string>

#include "runtime/http/tcp.hpp"

namespace dcm::http {

// A fresh P-256 key and a certificate of `program` for `host` and localhost that its own key has
// signed, good for a year from an hour ago (clocks differ). The key never touches a disk. `program`
// has 64 bytes at most. Errors: configuration (a `host` that cannot stand in a certificate).
Result<TlsServerOptions> make_self_signed(const std::string& program, const std::string& host);

}  // namespace dcm::http
