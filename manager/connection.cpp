#include "manager/connection.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "client/auth/plugin_runner.hpp"
#include "runtime/run_all.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;

// Once a minute suffices for certificates that are rotated days before they expire.
constexpr runtime::Duration kFileCheckInterval = 1min;

http::ClientOptions http_options(const client::ClusterConfig& config, std::size_t connections) {
  return {.origin = config.server, .connections_max = connections};
}

client::RestClientOptions rest_options(const client::ClusterConfig& config,
                                       const ConnectionOptions& options) {
  return {.server = config.server,
          .path_prefix = config.path_prefix,
          .user_agent = options.user_agent,
          .compresses = !config.disable_compression,
          .limits = {.qps = options.qps,
                     .burst = static_cast<double>(options.burst),
                     .inflight_max = options.inflight_max}};
}

}  // namespace

runtime::Result<std::unique_ptr<Connection>> Connection::open(const client::ClusterConfig& config,
                                                              const ConnectionOptions& options,
                                                              const client::WriteGate& gate,
                                                              Process process) {
  client::TlsFiles files(config);
  auto tls = files.read_if_changed();
  if (!tls) return runtime::fail(tls.error());
  auto transport = http::make_tcp_transport(process.loop.executor(), process.loop.time(),
                                            tls->value_or(http::TlsClientOptions{}), config.proxy);
  if (!transport) return runtime::fail(transport.error());
  http::Transport& network = **transport;
  return std::unique_ptr<Connection>(new Connection(
      network,
      Tcp{std::move(files), tls->value_or(http::TlsClientOptions{}), std::move(*transport)}, config,
      options, gate, std::move(process)));
}

std::unique_ptr<Connection> Connection::over(http::Transport& network,
                                             const client::ClusterConfig& config,
                                             const ConnectionOptions& options,
                                             const client::WriteGate& gate, Process process) {
  return std::unique_ptr<Connection>(
      new Connection(network, std::nullopt, config, options, gate, std::move(process)));
}

Connection::Connection(http::Transport& network, std::optional<Tcp> tcp,
                       const client::ClusterConfig& config, const ConnectionOptions& options,
                       const client::WriteGate& gate, Process process)
    : process_(std::move(process)),
      network_(network),
      tcp_(std::move(tcp)),
      http_(make_client(config, options)),
      lease_http_(http::make_client(network_, process_.loop.time(), http_options(config, 1))),
      credentials_(client::make_credentials(config, credential_tools())),
      rest_(dependencies(*http_, gate), rest_options(config, options), process_.rng.fork(),
            process_.log),
      lease_rest_(dependencies(*lease_http_, open_gate()), rest_options(config, options),
                  process_.rng.fork(), process_.log) {
  report_validity();
}

// Not of a plugin's certificate, which the plugin renews.
void Connection::report_validity() {
  if (!tcp_) return;
  const auto validity = http::validity_of_certificate(tcp_->files_tls.certificate_pem);
  if (!validity) return;
  process_.metrics
      .gauge("program_client_certificate_start_seconds",
             "When the client certificate of the kubeconfig became valid, in seconds since unix "
             "epoch.")
      .Set(runtime::in_seconds(validity->from.time_since_epoch()));
  process_.metrics
      .gauge("program_client_certificate_expiration_seconds",
             "When the client certificate of the kubeconfig expires, in seconds since unix epoch.")
      .Set(runtime::in_seconds(validity->until.time_since_epoch()));
}

std::unique_ptr<http::Client> Connection::make_client(const client::ClusterConfig& config,
                                                      const ConnectionOptions& options) {
  const http::ClientOptions wanted = http_options(config, options.inflight_max);
  if (!options.http2) {
    return http::make_client(network_, process_.loop.time(), wanted);
  }
  std::unique_ptr<http2::Client> made =
      http2::make_client(process_.loop, network_, wanted, options.cleartext);
  http2_ = made.get();
  return made;
}

runtime::Task<> Connection::run() {
  std::vector<runtime::Task<>> tasks;
  tasks.push_back(speak_http2());
  tasks.push_back(watch_files());
  tasks.push_back(credentials_->keep_fresh());
  return runtime::run_all(process_.loop.executor(), std::move(tasks));
}

runtime::Task<> Connection::speak_http2() {
  if (http2_ != nullptr) co_await http2_->run();
}

client::RestClient::Dependencies Connection::dependencies(http::Client& http,
                                                          const client::WriteGate& gate) {
  return {.http = http,
          .credentials = *credentials_,
          .gate = gate,
          .time = process_.loop.time(),
          .metrics = process_.metrics};
}

client::CredentialTools Connection::credential_tools() {
  return {process_.loop.time(), process_.log,
          client::make_plugin_runner(process_.loop.executor(), process_.loop.time()),
          [this](const client::ClientIdentity& identity) { return use_identity(identity); }};
}

runtime::Task<> Connection::watch_files() {
  while (tcp_) {
    co_await runtime::sleep_for(process_.loop.time(), kFileCheckInterval);
    auto changed = tcp_->files.read_if_changed();
    if (!changed) {
      process_.log.warning("Cannot read TLS files; keeping the previous ones",
                           {{"error", changed.error().message}});
      continue;
    }
    // kubelet rewrites ca.crt, unchanged, whenever it renews the token.
    if (!*changed || **changed == tcp_->files_tls) continue;
    if (const auto set = use_tls(std::move(**changed), plugin_identity_); !set) {
      process_.log.warning("Cannot use TLS files; keeping the previous ones",
                           {{"error", set.error().message}});
      continue;
    }
    process_.log.info("Using the changed TLS files");
  }
}

runtime::Result<> Connection::use_identity(const client::ClientIdentity& identity) {
  if (!tcp_) {
    return runtime::fail(runtime::Reason::configuration, "this network takes no certificates");
  }
  if (identity == plugin_identity_) return {};  // connections keep working
  if (auto used = use_tls(tcp_->files_tls, identity); !used) return used;
  process_.log.info(identity.certificate_pem.empty()
                        ? "The credential plugin no longer returns a client certificate"
                        : "Using the client certificate of the credential plugin");
  return {};
}

runtime::Result<> Connection::use_tls(http::TlsClientOptions files_tls,
                                      client::ClientIdentity plugin_identity) {
  http::TlsClientOptions tls = files_tls;
  if (!plugin_identity.certificate_pem.empty()) {
    tls.certificate_pem = plugin_identity.certificate_pem;
    tls.key_pem = plugin_identity.key_pem;
  }
  if (auto set = tcp_->transport->set_tls(std::move(tls)); !set) return set;
  tcp_->files_tls = std::move(files_tls);
  report_validity();
  plugin_identity_ = std::move(plugin_identity);
  http_->close_idle();
  lease_http_->close_idle();
  return {};
}

const client::WriteGate& open_gate() {
  static const client::OpenWriteGate kGate;
  return kGate;
}

runtime::Result<Cluster> open_cluster(const client::ConfigOverrides& which,
                                      const ConnectionOptions& options, const Process& process) {
  auto config = client::load_cluster_config(which, client::Environment::of_process());
  if (!config) return runtime::fail(config.error());
  auto connection = Connection::open(*config, options, open_gate(), process);
  if (!connection) return runtime::fail(connection.error());
  return Cluster{std::move(*config), std::move(*connection)};
}

}  // namespace dcm::manager
