// The whole manager as main() makes it, apart from ports, against an API server of the test, on
// virtual time.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cmd/dra-controller-manager/controls.hpp"
#include "manager/connection.hpp"
#include "manager/lifecycle.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm {

// Counts opened connections: idle ones are reused, so this is also the maximum open at the same
// time.
class CountingTransport final : public http::Transport {
 public:
  explicit CountingTransport(http::Transport& inner) : inner_(inner) {}
  runtime::Task<runtime::Result<std::unique_ptr<http::Stream>>> connect(
      http::Endpoint endpoint, runtime::Deadline deadline) override {
    ++opened;
    return inner_.connect(std::move(endpoint), deadline);
  }
  std::size_t opened = 0;

 private:
  http::Transport& inner_;
};

// It needs no lease, and speaks HTTP/1.1. `network` must outlive it.
struct WholeManager {
  WholeManager(runtime::VirtualLoop& loop, http::Transport& network)
      : process{loop, metrics, rng, log},
        fence(loop.time()),
        transport(network),
        connection(
            manager::Connection::over(transport, config(), connection_options(), fence, process)),
        lifecycle({process, connection->rest(), connection->lease_rest(), &fence},
                  {.program = "test"}),
        group(loop.executor()) {
    lifecycle.use(dra_manager::make_controllers(options, lifecycle.events(), explanations));
  }

  // Returns when the manager works.
  runtime::Task<> start() {
    group.spawn("manager", lifecycle.run());
    while (lifecycle.why_not_ready()) {
      co_await runtime::sleep_for(process.loop.time(), std::chrono::milliseconds(100));
    }
  }
  runtime::Task<> stop() {
    lifecycle.request_stop();
    co_await group.join();
  }
  // Empty: it is ready.
  std::string why_not_ready() const {
    const auto problem = lifecycle.why_not_ready();
    return problem ? problem->whole : "";
  }

  static client::ClusterConfig config() {
    client::ClusterConfig config;
    config.server = {http::Security::plain, "server", 80};
    return config;
  }
  manager::ConnectionOptions connection_options() const {
    manager::ConnectionOptions made = dra_manager::connection_options(options);
    made.user_agent = "test";
    made.http2 = false;
    return made;
  }

  dra_manager::Options options;
  runtime::MetricsRegistry metrics;
  runtime::Rng rng{1};
  runtime::Logger log;
  manager::Process process;
  leader_election::Fence fence;
  CountingTransport transport;
  std::unique_ptr<manager::Connection> connection;
  dra_manager::CurrentExplanations explanations;
  manager::Lifecycle lifecycle;
  runtime::TaskGroup group;
};

}  // namespace dcm
