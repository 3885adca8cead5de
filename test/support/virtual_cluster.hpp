// A cluster for a controller's tests: an in-memory API server with a garbage collector, a manager
// that speaks HTTP to it over pipes, and time that jumps over every wait. Nothing leaves the
// process; a day takes milliseconds. If $DCM_TEST_LOG is set, the manager's log is written to
// standard error as well.
//
//   test::VirtualCluster cluster({.served = {.custom = {{"example.com", "v1", "foos", "Foo"}}}});
//   add_controllers(cluster.manager());
//   cluster.start();
//   cluster.api().post("/apis/example.com/v1/namespaces/default/foos", R"({…})");
//   cluster.run_for(1min);
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/garbage_collector.hpp"
#include "apiserver/front/http_front.hpp"
#include "manager/connection.hpp"
#include "manager/controller_manager.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/loop.hpp"
#include "runtime/run_all.hpp"
#include "runtime/task_group.hpp"

namespace dcm::test {

// One instance of the tested program: its connection, manager, metrics and log.
class VirtualInstance {
 public:
  // All references must outlive it.
  VirtualInstance(runtime::VirtualLoop& loop, runtime::Rng& rng, http::PipeNetwork& network)
      : loop_(loop),
        rng_(rng),
        log_(make_log()),
        fence_(loop_.time()),
        connection_(manager::Connection::over(network, config(), {.user_agent = "tested"}, fence_,
                                              process())),
        lifecycle_({process(), connection_->rest(), connection_->lease_rest(), &fence_},
                   lifecycle_options()),
        manager_(lifecycle_) {}
  VirtualInstance(const VirtualInstance&) = delete;
  VirtualInstance& operator=(const VirtualInstance&) = delete;

  manager::ControllerManager& manager() { return manager_; }
  // A client that needs no lease.
  client::RestClient& rest() { return connection_->lease_rest(); }
  manager::Process process() { return {loop_, metrics_, rng_, log_}; }
  // /metrics, as text.
  std::string metrics() { return metrics_.expose(); }
  // The log so far, at verbosity 2, which shows each write.
  const std::string& log() const { return log_text_; }

 private:
  static client::ClusterConfig config() {
    client::ClusterConfig config;
    config.server = {http::Security::plain, "server", 80};
    return config;
  }

  // A process that loses the lease ends; here the manager stops, and returns its exit status.
  manager::LifecycleOptions lifecycle_options() {
    manager::LeaderElectionOptions election{
        .lease = {api::InternedString("default"), "tested"},
        .on_lost = [this] { manager_.request_stop(manager::ExitStatus::lease_lost); }};
    return {.program = "tested", .election = std::move(election)};
  }

  runtime::Logger make_log() {
    const bool is_shown = std::getenv("DCM_TEST_LOG") != nullptr;
    const auto write = [this, is_shown](runtime::Severity, std::string_view line) {
      log_text_.append(line).append("\n");
      if (is_shown) std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
    };
    const auto backend =
        std::make_shared<runtime::LogBackend>(loop_.time(), runtime::LogFormat::text, write);
    backend->set_verbosity(2);
    return runtime::Logger(backend);
  }

  runtime::VirtualLoop& loop_;
  runtime::Rng& rng_;
  runtime::MetricsRegistry metrics_{"tested"};
  std::string log_text_;
  runtime::Logger log_;
  leader_election::Fence fence_;
  std::unique_ptr<manager::Connection> connection_;
  manager::Lifecycle lifecycle_;
  manager::ControllerManager manager_;
};

class VirtualCluster {
 public:
  // Everything random is drawn from `seed`, including the order of ready tasks: run a test with one
  // seed, or better with many.
  explicit VirtualCluster(apiserver::ServerOptions options = {}, std::uint64_t seed = 1)
      : rng_(seed),
        loop_(rng_.fork()),
        server_(loop_.time(), rng_.fork(), std::move(options)),
        collector_(server_, loop_.time()),
        api_(server_),
        network_(loop_.time()),
        listener_(network_.listen("server", 80)),
        first_(loop_, rng_, network_),
        tasks_(loop_.executor()) {
    tasks_.spawn("garbage collector", collector_.run());
    tasks_.spawn("server", http::serve(*listener_, loop_.time(), apiserver::front_options(),
                                       apiserver::http_handler(server_, loop_.time()), {}));
  }
  ~VirtualCluster() {
    // What the hooks of a test refer to may be gone already.
    server_.before({});
    server_.after({});
    first_.manager().request_stop();
    for (const auto& other : others_) other->manager().request_stop();
    loop_.run(end());
  }
  VirtualCluster(const VirtualCluster&) = delete;
  VirtualCluster& operator=(const VirtualCluster&) = delete;

  manager::ControllerManager& manager() { return first_.manager(); }
  // Call this once, after the manager's controllers have been added.
  void start() {
    if (std::exchange(is_started_, true)) throw std::logic_error("start() was called already");
    tasks_.spawn("manager", manager().run());
  }
  // Starts another instance of the program, which stands by while the first has the lease:
  // manager().request_stop() hands it over. Lives as long as the cluster.
  template <class AddControllers>
  VirtualInstance& another_instance(AddControllers add_controllers) {
    others_.push_back(std::make_unique<VirtualInstance>(loop_, rng_, network_));
    VirtualInstance& another = *others_.back();
    add_controllers(another.manager());
    tasks_.spawn("another manager", another.manager().run());
    return another;
  }
  // Advances time, and runs what is due.
  void run_for(runtime::Duration duration) { loop_.run_for(duration); }

  // Runs a task to its end.
  template <class T>
  T wait_for(runtime::Task<T> task) {
    return runtime::run_on(loop_, std::move(task));
  }
  void wait_for(runtime::Task<> task) { loop_.run(std::move(task)); }
  // For parts that a test creates without the manager: a client that needs no lease.
  client::RestClient& rest() { return first_.rest(); }
  manager::Process process() { return first_.process(); }
  runtime::VirtualLoop& loop() { return loop_; }

  // For creating objects and inspecting them.
  apiserver::Direct& api() { return api_; }
  // For refusing requests, losing answers, ending watches.
  apiserver::Server& server() { return server_; }
  runtime::TimeSource& time() { return loop_.time(); }
  // Breaks every connection.
  void cut_connections() { network_.cut_all(); }
  // Of the first instance.
  std::string metrics() { return first_.metrics(); }
  const std::string& log() const { return first_.log(); }

 private:
  runtime::Task<> end() {
    // The managers end by themselves, the server does not.
    co_await runtime::sleep_for(loop_.time(), std::chrono::minutes(1));
    tasks_.cancel();
    co_await tasks_.join();
  }

  runtime::Rng rng_;
  runtime::VirtualLoop loop_;
  apiserver::Server server_;
  apiserver::GarbageCollector collector_;
  apiserver::Direct api_;
  http::PipeNetwork network_;
  std::unique_ptr<http::Listener> listener_;
  VirtualInstance first_;
  std::vector<std::unique_ptr<VirtualInstance>> others_;
  bool is_started_ = false;
  runtime::TaskGroup tasks_;
};

}  // namespace dcm::test
