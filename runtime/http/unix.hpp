// Unix sockets as streams.
#pragma once

#include <memory>
#include <string>

#include "runtime/http/stream.hpp"

namespace dcm::http {

// Connects to the socket file named by an endpoint's `host`; its port and security are ignored.
// Errors of connect: unreachable (no listener, no file, a path that is too long),
// deadline_exceeded.
std::unique_ptr<Transport> make_unix_transport(runtime::Executor executor,
                                               runtime::TimeSource& time);

// Creates the socket file, which must not exist yet, and removes it on destruction unless another
// one has replaced it. Errors: configuration (file exists, no such folder, no permission, a path of
// more than 107 bytes).
Result<std::unique_ptr<Listener>> make_unix_listener(runtime::Executor executor,
                                                     runtime::TimeSource& time,
                                                     const std::string& path);

// Like make_unix_listener, but creates the folder, and replaces a stale socket.
Result<std::unique_ptr<Listener>> replace_unix_listener(runtime::Executor executor,
                                                        runtime::TimeSource& time,
                                                        const std::string& path);

}  // namespace dcm::http
