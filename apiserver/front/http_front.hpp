// The in-memory API server over HTTP/1.1: over TCP for real processes, over pipes for simulations.
#pragma once

#include "apiserver/front/server.hpp"
#include "runtime/http/server.hpp"

namespace dcm::apiserver {

// Limits for http::serve() that suit this server: clients keep connections idle for long, and each
// watch has its own.
http::ServerOptions front_options();

// The same request without HTTP.
Request from_http(http::Request request);

// Answers HTTP requests from `server`, watches as chunked streams. Both must outlive the result:
//   group.spawn("apiserver", http::serve(*listener, time, front_options(),
//                                        http_handler(server, time), log));
// A Response's `reset_after` cuts the connection.
http::Handler http_handler(Server& server, runtime::TimeSource& time);

}  // namespace dcm::apiserver
