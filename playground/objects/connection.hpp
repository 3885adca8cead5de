// Everything between the playground's parts and an API server: HTTP, credentials, requests.
#pragma once

#include <memory>

#include "client/auth/credentials.hpp"
#include "client/config/config.hpp"
#include "client/request/rest_client.hpp"
#include "client/request/write_gate.hpp"
#include "playground/part.hpp"
#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::playground {

class Connection {
 public:
  // `transport`, and what `context` refers to, must outlive it.
  Connection(http::Transport& transport, const client::ClusterConfig& config,
             const PartContext& context);

  client::RestClient& rest() { return rest_; }

 private:
  std::unique_ptr<http::Client> http_;
  std::unique_ptr<client::Credentials> credentials_;
  client::OpenWriteGate gate_;
  client::RestClient rest_;
};

// A cluster named by a kubeconfig, and the connection to it.
class Cluster {
 public:
  // The certificates are read once. What `context` refers to must outlive it.
  // Errors: configuration.
  static runtime::Result<std::unique_ptr<Cluster>> open(const client::ConfigOverrides& which,
                                                        const PartContext& context);

  const std::string& origin() const { return config_.origin; }
  client::RestClient& rest() { return connection_.rest(); }

 private:
  Cluster(client::ClusterConfig config, std::unique_ptr<http::Transport> network,
          const PartContext& context);

  client::ClusterConfig config_;
  std::unique_ptr<http::Transport> network_;
  Connection connection_;
};

}  // namespace dcm::playground
