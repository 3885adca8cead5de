#include "client/manager/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runtime/http/open_port.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/memory.hpp"
#include "runtime/open_files.hpp"

namespace dcm::manager {
namespace {

using runtime::Result;
using runtime::Task;

int refuse(const ProgramOptions& options, const runtime::Error& error) {
  std::fputs(fmt::format("{}: {}\n", options.name, error.message).c_str(), stderr);
  return static_cast<int>(ExitStatus::bad_configuration);
}

std::string in_metrics(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

ConnectionOptions connection_options(const ProgramOptions& options) {
  ConnectionOptions made = options.connection;
  if (made.user_agent.empty()) {
    made.user_agent = client::make_user_agent(options.name, options.version);
  }
  return made;
}

LeaderElectionOptions election_options(const ProgramOptions& options) {
  LeaderElectionOptions made = options.lease;
  if (made.lease.name.empty()) made.lease = {api::InternedString("default"), options.name};
  return made;
}

// The pages of the program, and their port.
class Port {
 public:
  Port(const Process& process, const Health& health, std::vector<std::string> accept_hosts)
      : process_(process), accept_hosts_(std::move(accept_hosts)) {
    add_health_pages(pages_, health, Reasons::whole);
    add_metrics_page(pages_, process_.metrics);
  }

  Result<> listen(const std::string& address) {
    if (address.empty()) return {};
    auto made = http::make_tcp_listener(process_.loop.executor(), process_.loop.time(), address,
                                        std::nullopt);
    if (!made) return runtime::fail(made.error());
    listener_ = std::move(*made);
    return {};
  }

  Task<> run() {
    if (listener_ == nullptr) co_return;
    process_.log.info("Serving", {{"address", listener_->address()}});
    co_await http::serve_open(*listener_, process_.loop.time(), open_server_options(),
                              accept_hosts_, make_open_handler(pages_), process_.log);
  }

 private:
  Process process_;
  std::vector<std::string> accept_hosts_;
  Pages pages_;
  std::unique_ptr<http::Listener> listener_;
};

// Runs the manager, and below it the parts that it needs until its end.
Task<> run_all(const Process& process, ControllerManager& manager, Connection& connection,
               Port& port) {
  runtime::TaskGroup below(process.loop.executor());
  below.spawn("port", port.run());
  below.spawn("HTTP/2", connection.speak_http2());
  below.spawn("TLS files", connection.watch_files());
  below.spawn("credentials", connection.keep_credentials_fresh());
  below.spawn("free memory", runtime::keep_returning_free_memory(process.loop.time()));
  co_await manager.run();
  below.cancel();
  co_await below.join();
}

void stop_on_signals(runtime::Loop& loop, ControllerManager& manager) {
  loop.on_signals({SIGTERM, SIGINT}, [&manager, count = 0](int) mutable {
    if (++count > 1) std::_Exit(1);
    manager.request_stop();
  });
}

}  // namespace

int run_program(const ProgramOptions& options,
                const std::function<void(ControllerManager&)>& add_controllers) {
  // A reader of our log or of a connection that goes away is an error of that write, not our end.
  std::signal(SIGPIPE, SIG_IGN);
  const auto config =
      client::load_cluster_config(options.cluster, client::Environment::of_process());
  if (!config) return refuse(options, config.error());

  runtime::return_large_memory_at_once();
  runtime::allow_all_open_files();
  runtime::Loop loop;
  const auto backend = std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                                             runtime::write_to_stderr());
  backend->set_verbosity(options.verbosity);
  runtime::MetricsRegistry metrics(in_metrics(options.name));
  const runtime::Refresh process_metrics = runtime::register_process_metrics(metrics);
  runtime::Rng rng = runtime::Rng::from_system();
  const Process process{loop, metrics, rng, runtime::Logger(backend)};

  leader_election::Fence fence(loop.time());
  auto connection = Connection::open(*config, connection_options(options), fence, process);
  if (!connection) return refuse(options, connection.error());
  ControllerManager manager({process, (*connection)->rest(), (*connection)->lease_rest(), fence},
                            options.name, election_options(options));
  Port port(process, manager.health(), options.accept_hosts);
  if (const auto listening = port.listen(options.address); !listening) {
    return refuse(options, listening.error());
  }
  for (const std::string& warning : config->warnings) process.log.warning(warning);
  process.log.info("Starting", {{"program", options.name},
                                {"version", options.version},
                                {"server", config->server.url()},
                                {"config", config->origin}});
  add_controllers(manager);
  stop_on_signals(loop, manager);
  loop.run(run_all(process, manager, **connection, port));
  return static_cast<int>(manager.exit_status());
}

}  // namespace dcm::manager
