// Everything between the playground's parts and an API server: HTTP, credentials, requests.
#pragma once

#include <memory>

#include "client/config.hpp"
#include "client/credentials.hpp"
#include "client/rest_client.hpp"
#include "client/write_gate.hpp"
#include "cmd/dra-playground/part.hpp"
#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::playground {

// The network, with the certificates that `config` names. They are read once.
// Errors: configuration.
runtime::Result<std::unique_ptr<http::Transport>> open_network(const client::ClusterConfig& config,
                                                               const PartContext& context);

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

}  // namespace dcm::playground
