// Unix sockets as streams.
#pragma once

#include <memory>
#include <string>

#include "runtime/http/stream.hpp"

namespace dcm::http {

// Connects to the socket file that is an endpoint's `host`; its port and security are not looked
// at. Errors of connect: unreachable (nobody listens, no file, a path that is too long),
// deadline_exceeded.
std::unique_ptr<Transport> make_unix_transport(runtime::Executor executor,
                                               runtime::TimeSource& time);

// Makes the socket file, which must not be there yet, and removes it when it is destroyed.
// Errors: configuration (there already, no such folder, no permission, a path of more than 107
// bytes).
Result<std::unique_ptr<Listener>> make_unix_listener(runtime::Executor executor,
                                                     runtime::TimeSource& time,
                                                     const std::string& path);

// As make_unix_listener, but makes the folder, and takes the place of a socket that a process has
// left behind.
Result<std::unique_ptr<Listener>> replace_unix_listener(runtime::Executor executor,
                                                        runtime::TimeSource& time,
                                                        const std::string& path);

}  // namespace dcm::http
