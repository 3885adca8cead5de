#include "cmd/dra-controller-manager/manager.hpp"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/config/config.hpp"
#include "client/events/event_recorder.hpp"
#include "cmd/dra-controller-manager/build_info.hpp"
#include "cmd/dra-controller-manager/process_metrics.hpp"
#include "cmd/dra-controller-manager/serving/serving.hpp"
#include "cmd/dra-controller-manager/session.hpp"
#include "cmd/dra-controller-manager/sessions.hpp"
#include "explain/page.hpp"
#include "manager/connection.hpp"
#include "manager/leader_election.hpp"
#include "manager/options/value.hpp"
#include "manager/stop.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/loop.hpp"
#include "runtime/memory.hpp"
#include "runtime/open_files.hpp"
#include "runtime/task_group.hpp"
#include "runtime/version.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Result;
using runtime::Task;

// How long work in progress may take after SIGTERM.
constexpr runtime::Duration kDrainTimeout = 20s;

// Passes controllers' events to the recorder.
class RecorderSink final : public common::EventSink {
 public:
  explicit RecorderSink(client::EventRecorder& recorder) : recorder_(recorder) {}
  void report(const api::ObjectReference& about, api::EventType type, std::string_view component,
              std::string_view reason, std::string_view message) override {
    recorder_.report(about, type, component, reason, message);
  }

 private:
  client::EventRecorder& recorder_;
};

// Shut for good. A dry run's controllers send no writes; the gate stops a write by mistake. Reviews
// of callers of our port pass the gate.
class DryRunGate final : public client::WriteGate {
 public:
  Result<> check() const override {
    return runtime::fail(runtime::Reason::shutting_down, "not written: this is a dry run");
  }
};

// Start order: status pages, TLS files and events, then a session as soon as resource.k8s.io is
// served; the session requests the lease when its caches are synced. stop() has the reverse order.
class Manager {
 public:
  Manager(Process process, const Options& options, Connection& connection,
          leader_election::Fence& fence, Serving& serving)
      : process_(std::move(process)),
        time_(process_.loop.time()),
        options_(options),
        connection_(connection),
        serving_(serving),
        recorder_(connection.rest(), time_, process_.metrics, process_.rng.fork(), process_.log),
        sink_(recorder_),
        leadership_(time_),
        stop_(time_, process_.log),
        sessions_(
            make_sessions({process_, connection.rest(), sink_, leadership_, options_}, stop_)),
        ports_(process_.loop.executor()),
        background_(process_.loop.executor()),
        work_(process_.loop.executor()) {
    serving_.health().live.add("progress", [this] { return sessions_.why_stuck(); });
    serving_.health().ready.add("caches", [this] { return why_not_ready(); });
    serving_.secured_pages().add(
        make_explain_page(time_, {.source = [this] { return sessions_.explanations(); },
                                  .teller = [this] { return teller(); },
                                  .rest = &connection.rest()}));
    if (options_.leader_election) {
      leader_.emplace(
          process_, *options_.leader_election, connection.lease_rest(), fence,
          [this](const api::ObjectReference& lease, std::string_view message) {
            sink_.report(lease, api::EventType::normal, "dra-controller-manager", "LeaderElection",
                         message);
          },
          leadership_);
      serving_.health().ready.add("lease", [this] { return leader_->problem(); });
    } else {
      leadership_.begin();
    }
  }

  // Until the stop is requested, by request_stop() or a failed part.
  Task<> run() {
    start();
    co_await stop_.wait();
    co_await stop();
  }

  void request_stop() { stop_.request(); }
  ExitStatus exit_status() const { return stop_.exit_status(); }

 private:
  void start() {
    spawn(ports_, "ports", serving_.run(connection_.rest()));
    spawn(background_, "HTTP/2", connection_.speak_http2());
    spawn(background_, "TLS files", connection_.watch_files());
    spawn(background_, "credentials", connection_.keep_credentials_fresh());
    spawn(background_, "events", recorder_.run());
    spawn(background_, "free memory", runtime::keep_returning_free_memory(time_));
    if (leader_) leader_->start(stop_);
    spawn(work_, "sessions", sessions_.run());
  }

  // Stops everything in the reverse order of the start.
  Task<> stop() {
    process_.log.info("Stopping");
    if (!sessions_.stop_current()) work_.cancel();
    const runtime::TimerId give_up =
        time_.schedule(Deadline::after(time_, kDrainTimeout).time(), [this] {
          for (const std::string& name : work_.running_names()) {
            process_.log.warning("A part has not ended in time; going on without it",
                                 {{"for", name}});
          }
          work_.cancel();
        });
    co_await work_.join();
    time_.cancel(give_up);
    if (leader_) co_await leader_->stop();
    background_.cancel();
    co_await background_.join();
    ports_.cancel();
    co_await ports_.join();
    process_.log.info("Stopped");
  }

  // A failure of any of these ends the process in order.
  void spawn(runtime::TaskGroup& group, const std::string& part, Task<> task) {
    group.spawn(part, stop_.guard(part, std::move(task)));
  }

  std::optional<std::string> why_not_ready() const {
    return stop_.is_requested() ? "stopping" : sessions_.why_not_ready();
  }

  // The author of this process's explanations.
  Teller teller() const {
    Teller teller{.missing = why_not_ready().value_or("")};
    if (options_.dry_run_timeout) teller.role = Teller::Role::watches;
    if (!leader_) return teller;
    teller.role = leader_->is_leading() ? Teller::Role::works : Teller::Role::stands_by;
    teller.identity = leader_->identity();
    teller.leader = leader_->leader();
    return teller;
  }

  Process process_;
  runtime::TimeSource& time_;
  const Options& options_;
  Connection& connection_;
  Serving& serving_;
  client::EventRecorder recorder_;
  RecorderSink sink_;
  Leadership leadership_;
  std::optional<LeaderElection> leader_;  // nullopt: leader election is off
  Stop stop_;
  Sessions sessions_;
  runtime::TaskGroup ports_;
  runtime::TaskGroup background_;
  runtime::TaskGroup work_;
};

// Prints one line on standard error, and returns the exit status.
int refuse(const runtime::Error& error) {
  std::fputs(fmt::format("dra-controller-manager: {}\n", error.message).c_str(), stderr);
  return static_cast<int>(ExitStatus::bad_configuration);
}

const client::WriteGate& gate_for(const Options& options, const client::WriteGate& fence,
                                  const client::WriteGate& no_fence,
                                  const client::WriteGate& dry_run) {
  if (options.dry_run_timeout) return dry_run;
  return options.leader_election ? fence : no_fence;
}

// The first signal requests a stop. A second signal exits immediately.
void stop_on_signals(runtime::Loop& loop, Manager& manager) {
  loop.on_signals({SIGTERM, SIGINT}, [&manager, count = 0](int) mutable {
    if (++count > 1) std::_Exit(1);
    manager.request_stop();
  });
}

}  // namespace

int run_manager(const Options& options) {
  // A closed pipe must not kill the process: it is an error of that write.
  std::signal(SIGPIPE, SIG_IGN);
  const auto config =
      client::load_cluster_config(options.cluster, client::Environment::of_process());
  if (!config) return refuse(config.error());

  runtime::return_large_memory_at_once();
  runtime::allow_all_open_files();
  runtime::Loop loop;
  loop.gather_events();
  const auto backend = std::make_shared<runtime::LogBackend>(loop.time(), options.logging_format,
                                                             runtime::write_to_stderr());
  backend->set_verbosity(options.verbosity);
  const runtime::Logger log(backend);
  runtime::MetricsRegistry metrics("dra_controller_manager");
  const runtime::Refresh process_metrics = register_process(metrics, options);
  runtime::Rng rng = runtime::Rng::from_system();
  const Process process{loop, metrics, rng, log};

  leader_election::Fence fence(loop.time());
  const client::OpenWriteGate no_fence;
  const DryRunGate dry_run;
  const client::WriteGate& gate = gate_for(options, fence, no_fence, dry_run);
  auto connection = Connection::open(*config, connection_options(options), gate, process);
  if (!connection) return refuse(connection.error());
  const auto serving = Serving::open(process, options, backend);
  if (!serving) return refuse(serving.error());

  log.info("Starting", {{"version", runtime::kVersion},
                        {"commit", build_info().commit},
                        {"server", config->server.url()},
                        {"config", config->origin}});
  if (config->proxy) {
    log.info("Using a proxy", {{"proxy", config->proxy->endpoint.authority()}});
  }
  for (const std::string& warning : config->warnings) log.warning(warning);
  if (!options.without_effect.empty()) {
    log.info("Accepted for compatibility with kube-controller-manager, without effect",
             {{"names", fmt::format("{}", fmt::join(options.without_effect, " "))}});
  }
  for (const auto& [name, nearest] : options.unknown_gates) {
    log.warning("Unknown feature gate, without effect", {{"gate", name}, {"nearest", nearest}});
  }
  if (options.dry_run_timeout) {
    log.info("This is a dry run: no lease is taken and nothing is written",
             {{"disagreementAfter", format_duration(*options.dry_run_timeout)}});
  }
  Manager manager(process, options, **connection, fence, **serving);
  stop_on_signals(loop, manager);
  loop.run(manager.run());
  return static_cast<int>(manager.exit_status());
}

}  // namespace dcm::manager
