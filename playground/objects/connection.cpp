#include "playground/objects/connection.hpp"

#include "client/auth/plugin_runner.hpp"
#include "client/config/tls_files.hpp"
#include "runtime/version.hpp"

namespace dcm::playground {
namespace {

// As many as there are workers, and the watches.
constexpr std::size_t kRequestsAtATime = 100;

client::RestClientOptions rest_options(const client::ClusterConfig& config) {
  return {.server = config.server,
          .path_prefix = config.path_prefix,
          .user_agent = "dra-playground/" + std::string(runtime::kVersion),
          .limits = {.qps = 0, .burst = 1, .inflight_max = kRequestsAtATime}};
}

// The network is created before the credentials, and for all parts.
runtime::Result<> refuse_certificate(const client::ClientIdentity&) {
  return runtime::fail(runtime::Reason::configuration,
                       "the playground takes no client certificate from a plugin");
}

}  // namespace

Connection::Connection(http::Transport& transport, const client::ClusterConfig& config,
                       const PartContext& context)
    : http_(http::make_client(transport, context.time,
                              {.origin = config.server, .connections_max = kRequestsAtATime})),
      credentials_(client::make_credentials(
          config,
          {context.time, context.log, client::make_plugin_runner(context.executor, context.time),
           refuse_certificate})),
      rest_({.http = *http_,
             .credentials = *credentials_,
             .gate = gate_,
             .time = context.time,
             .metrics = context.metrics},
            rest_options(config), context.rng.fork(), context.log) {}

Cluster::Cluster(client::ClusterConfig config, std::unique_ptr<http::Transport> network,
                 const PartContext& context)
    : config_(std::move(config)),
      network_(std::move(network)),
      connection_(*network_, config_, context) {}

runtime::Result<std::unique_ptr<Cluster>> Cluster::open(const client::ConfigOverrides& which,
                                                        const PartContext& context) {
  auto config = client::load_cluster_config(which, client::Environment::of_process());
  if (!config) return runtime::fail(config.error());
  const auto tls = client::read_tls_options(*config);
  if (!tls) return runtime::fail(tls.error());
  auto network = http::make_tcp_transport(context.executor, context.time, *tls, config->proxy);
  if (!network) return runtime::fail(network.error());
  return std::unique_ptr<Cluster>(new Cluster(std::move(*config), std::move(*network), context));
}

}  // namespace dcm::playground
