// The in-memory API server as part of this process: over plain HTTP on loopback for others, and
// through pipes for our own parts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/front/server.hpp"
#include "client/config/config.hpp"
#include "playground/advice.hpp"
#include "playground/part.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/http/server.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::playground {

class EmbeddedServer {
 public:
  // Without a port on loopback: only pipes.
  explicit EmbeddedServer(const Process& process, apiserver::ServedVersions served = {},
                          const Attended& attended = {});

  // Also listens on that address, for loopback hosts and for `accept_hosts` (http::OpenPort).
  // Errors: configuration (in use, or not ours).
  runtime::Result<> listen(const std::string& address, std::vector<std::string> accept_hosts = {});
  // "http://127.0.0.1:6443"; requires listen().
  std::string url() const;

  // How our own parts reach it: through pipes.
  std::unique_ptr<Connection> connect();
  static client::ClusterConfig config();

  apiserver::Server& server() { return server_; }

  // Wraps the API on loopback.
  using Front = std::function<http::Handler(http::Handler api)>;

  // Serves until cancelled. Without a front, only the API.
  runtime::Task<> run(Front front = {});

 private:
  Process process_;
  apiserver::Server server_;
  http::PipeNetwork network_;
  std::unique_ptr<http::Listener> pipes_;
  std::unique_ptr<http::Listener> loopback_;  // null: none
  std::vector<std::string> accept_hosts_;
};

}  // namespace dcm::playground
