// Everything between the process and the API server: transport, credentials, HTTP, requests.
#pragma once

#include <memory>

#include "client/config.hpp"
#include "client/credentials.hpp"
#include "client/rest_client.hpp"
#include "client/tls_files.hpp"
#include "client/write_gate.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/metrics.hpp"

namespace dcm::manager {

// What every part of the process is made with. Outlives all of them.
struct Process {
  runtime::Loop& loop;
  runtime::MetricsRegistry& metrics;
  runtime::Rng& rng;
  runtime::Logger log;
};

class Connection {
 public:
  // Errors: configuration: certificates, keys or tokens that cannot be read.
  static runtime::Result<std::unique_ptr<Connection>> open(const client::ClusterConfig& config,
                                                           const Options& options, Process process);

  client::RestClient& rest() { return rest_; }
  // Takes up certificates and CAs that change under way. Ends by cancellation only.
  runtime::Task<> watch_files();

 private:
  Connection(const client::ClusterConfig& config, const Options& options, Process process,
             client::TlsFiles files, std::unique_ptr<http::TcpTransport> transport);

  Process process_;
  client::TlsFiles files_;
  std::unique_ptr<http::TcpTransport> transport_;
  std::unique_ptr<http::Client> http_;
  std::unique_ptr<client::Credentials> credentials_;
  client::OpenWriteGate gate_;
  client::RestClient rest_;
};

}  // namespace dcm::manager
