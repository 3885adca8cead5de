// A small HTTP proxy that supports only CONNECT: tunnels to any requested address.
#pragma once

#include <functional>
#include <string>

#include "runtime/http/stream.hpp"
#include "runtime/task_group.hpp"

namespace dcm::support {

struct ConnectProxyOptions {
  std::string authorization = {};  // the required Proxy-Authorization; empty: none
  // Called for each request, with a text like "CONNECT 127.0.0.1:6443 200".
  std::function<void(const std::string&)> report = [](const std::string&) {};
};

// Serves until cancelled. `listener` and `upstream` must outlive it.
runtime::Task<> serve_connect(runtime::Executor executor, http::Listener& listener,
                              http::Transport& upstream, ConnectProxyOptions options);

}  // namespace dcm::support
