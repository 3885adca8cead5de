// The server's side of HTTP/2 for handlers of runtime/http: each stream is one request.
#pragma once

#include "runtime/http/server.hpp"

namespace dcm::http2 {

// For http::ServerOptions::http2, whose limits apply to each request; a connection carries up to
// 250 of them concurrently, as in Go's servers. Runs until either side closes it.
runtime::Task<> serve_connection(http::UpgradedConnection upgraded);

}  // namespace dcm::http2
