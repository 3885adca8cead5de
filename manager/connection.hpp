// Everything between the process and the API server: transport, credentials, HTTP, requests.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "client/auth/credentials.hpp"
#include "client/config/config.hpp"
#include "client/config/tls_files.hpp"
#include "client/request/rest_client.hpp"
#include "client/request/write_gate.hpp"
#include "manager/process.hpp"
#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/http2/client.hpp"

namespace dcm::manager {

struct ConnectionOptions {
  // From make_user_agent(): names the program in audit logs and, up to the slash, in the
  // `managedFields` of its writes.
  std::string user_agent;
  double qps = 50;  // 0: no limit
  int burst = 100;
  std::size_t inflight_max = 100;
  bool http2 = false;
  http2::Cleartext cleartext = http2::Cleartext::http1;  // the protocol without TLS
};

class Connection {
 public:
  // All writes ask `gate`, except through lease_rest(). `gate` must outlive this. Errors:
  // configuration: unreadable certificates, keys or tokens.
  static runtime::Result<std::unique_ptr<Connection>> open(const client::ClusterConfig& config,
                                                           const ConnectionOptions& options,
                                                           const client::WriteGate& gate,
                                                           Process process);
  // Connects to `config.server` over the caller's network, which must outlive this: for tests, and
  // for a server in the same process.
  static std::unique_ptr<Connection> over(http::Transport& network,
                                          const client::ClusterConfig& config,
                                          const ConnectionOptions& options,
                                          const client::WriteGate& gate, Process process);

  client::RestClient& rest() { return rest_; }
  // For the lease: on a separate connection, so that it never queues behind other calls.
  client::RestClient& lease_rest() { return lease_rest_; }
  // Moves the bytes of HTTP/2, picks up certificates and CAs that change, and renews expiring
  // credentials: to run as long as requests are sent. Ends by cancellation, or at once if there is
  // nothing to do.
  runtime::Task<> run();

 private:
  // A network of our own, with its certificates.
  struct Tcp {
    client::TlsFiles files;
    http::TlsClientOptions files_tls;  // what the files say
    std::unique_ptr<http::TcpTransport> transport;
  };

  Connection(http::Transport& network, std::optional<Tcp> tcp, const client::ClusterConfig& config,
             const ConnectionOptions& options, const client::WriteGate& gate, Process process);
  runtime::Task<> speak_http2();
  runtime::Task<> watch_files();
  std::unique_ptr<http::Client> make_client(const client::ClusterConfig& config,
                                            const ConnectionOptions& options);
  client::CredentialTools credential_tools();
  runtime::Result<> use_identity(const client::ClientIdentity& identity);
  void report_validity();
  // The plugin's certificate, if there is one, replaces the files' certificate.
  runtime::Result<> use_tls(http::TlsClientOptions files_tls,
                            client::ClientIdentity plugin_identity);
  client::RestClient::Dependencies dependencies(http::Client& http, const client::WriteGate& gate);

  Process process_;
  http::Transport& network_;
  std::optional<Tcp> tcp_;                  // nullopt: the network is the caller's
  client::ClientIdentity plugin_identity_;  // empty: none
  http2::Client* http2_ = nullptr;          // http_, if it may speak HTTP/2
  std::unique_ptr<http::Client> http_;
  std::unique_ptr<http::Client> lease_http_;
  std::unique_ptr<client::Credentials> credentials_;
  client::RestClient rest_;
  client::RestClient lease_rest_;
};

// Lets every write through.
const client::WriteGate& open_gate();

// The cluster that a kubeconfig names, for a program that writes without a lease.
struct Cluster {
  client::ClusterConfig config;
  std::unique_ptr<Connection> connection;

  client::RestClient& rest() const { return connection->rest(); }
};
// Errors: configuration.
runtime::Result<Cluster> open_cluster(const client::ConfigOverrides& which,
                                      const ConnectionOptions& options, const Process& process);

}  // namespace dcm::manager
