#include "manager/run.hpp"

#include <string>

#include "runtime/memory.hpp"

namespace dcm::manager {
namespace {

LifecycleOptions with_namespace(LifecycleOptions options, const client::ClusterConfig& config) {
  if (options.election && options.election->lease.namespace_.empty()) {
    options.election->lease.namespace_ = api::InternedString(config.namespace_);
  }
  return options;
}

void report(const client::ClusterConfig& config, const runtime::Logger& log) {
  if (config.proxy) log.info("Using a proxy", {{"proxy", config.proxy->endpoint.authority()}});
  for (const std::string& warning : config.warnings) log.warning(warning);
}

}  // namespace

int run_to_end(OwnProcess& own, Connection& connection, Lifecycle& lifecycle) {
  const runtime::Refresh process_metrics = runtime::register_process_metrics(own.metrics);
  lifecycle.add_foundation("connection", [&] { return connection.run(); });
  lifecycle.add_foundation("free memory",
                           [&] { return runtime::keep_returning_free_memory(own.loop.time()); });
  stop_on_signals(own.loop, [&] { lifecycle.request_stop(); }, own.process().log);
  own.loop.run(lifecycle.run());
  return static_cast<int>(lifecycle.exit_status());
}

int run(const RunOptions& options,
        const std::function<std::shared_ptr<void>(const Host&)>& prepare) {
  const std::string& program = options.lifecycle.program;
  const auto config =
      client::load_cluster_config(options.cluster, client::Environment::of_process());
  if (!config) return refuse(program, config.error().message);
  OwnProcess own(program, options.verbosity, options.log_format);
  if (options.events == Events::gathered) own.loop.gather_events();
  const Process process = own.process();
  leader_election::Fence fence(own.loop.time());
  const client::WriteGate& gate = options.gate != nullptr ? *options.gate : fence;
  auto connection = Connection::open(*config, options.connection, gate, process);
  if (!connection) return refuse(program, connection.error().message);
  Lifecycle lifecycle({process, (*connection)->rest(), (*connection)->lease_rest(), &fence},
                      with_namespace(options.lifecycle, *config));
  const auto ports = Ports::open(process, lifecycle.health(), options.serving, options.object_of);
  if (!ports) return refuse(program, ports.error().message);
  lifecycle.add_foundation("ports", [&] { return (*ports)->run((*connection)->rest()); });
  const auto kept = prepare({own, process, *config, **connection, **ports, lifecycle});
  report(*config, process.log);
  end_process(run_to_end(own, **connection, lifecycle));
}

}  // namespace dcm::manager
