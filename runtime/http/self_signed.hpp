// A server's identity if none was configured: encryption without trust, like the defaults of
// Kubernetes control plane components.
#pragma once

#include <string>

#include "runtime/http/tcp.hpp"

namespace dcm::http {

// A fresh P-256 key and a self-signed certificate of `program` for `host` and localhost, valid for
// a year from an hour ago (clocks differ). The key is never stored on disk. `program` has 64 bytes
// at most. Errors: configuration (a `host` that a certificate cannot contain).
Result<TlsServerOptions> make_self_signed(const std::string& program, const std::string& host);

}  // namespace dcm::http
