#include "cmd/dra-controller-manager/manager.hpp"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "client/config.hpp"
#include "client/discovery.hpp"
#include "client/event_recorder.hpp"
#include "cmd/dra-controller-manager/connection.hpp"
#include "cmd/dra-controller-manager/process_metrics.hpp"
#include "cmd/dra-controller-manager/serving.hpp"
#include "cmd/dra-controller-manager/session.hpp"
#include "runtime/condition.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "runtime/version.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Result;
using runtime::Task;

// How often to look again for what the cluster lacks, and whether it still serves what we use.
constexpr runtime::Duration kDiscoveryInterval = 30s;
// How long work in flight may take after SIGTERM.
constexpr runtime::Duration kDrainTimeout = 20s;
// A fault that lasts is logged this often.
constexpr runtime::Duration kRepeatInterval = 5min;

// Hands what controllers report to the recorder.
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

// Start order: status pages, TLS files and events, then a session as soon as resource.k8s.io is
// served. Stop order is the reverse, and stands in stop().
class Manager {
 public:
  Manager(Process process, const Options& options, Connection& connection,
          http::Listener* status_listener)
      : process_(std::move(process)),
        time_(process_.loop.time()),
        options_(options),
        connection_(connection),
        status_listener_(status_listener),
        recorder_(connection.rest(), time_, process_.metrics, process_.rng.fork(), process_.log),
        sink_(recorder_),
        discovery_(connection.rest()),
        stop_requested_(time_),
        discovery_guard_(time_, kRepeatInterval),
        serving_(process_.loop.executor()),
        background_(process_.loop.executor()),
        work_(process_.loop.executor()) {
    health_.ready.add("caches", [this] { return why_not_ready(); });
  }

  Task<> run() {
    start();
    while (!is_stopping_) co_await stop_requested_.wait();
    co_await stop();
  }

  void request_stop() {
    is_stopping_ = true;
    stop_requested_.notify_all();
  }

 private:
  void start() {
    if (status_listener_ != nullptr) {
      process_.log.info("Serving status", {{"address", status_listener_->address()}});
      serving_.spawn("status pages",
                     http::serve(*status_listener_, time_, {},
                                 make_status_handler(health_, process_.metrics), process_.log));
    }
    background_.spawn("TLS files", connection_.watch_files());
    background_.spawn("events", recorder_.run());
    work_.spawn("sessions", run_sessions());
  }

  // What was started last is stopped first.
  Task<> stop() {
    process_.log.info("Stopping");
    if (session_ != nullptr) {
      session_->stop();
    } else {
      work_.cancel();
    }
    const runtime::TimerId give_up =
        time_.schedule(Deadline::after(time_, kDrainTimeout).time(), [this] {
          for (const std::string& name : work_.running_names()) {
            process_.log.warning("Not waiting any longer", {{"for", name}});
          }
          work_.cancel();
        });
    co_await work_.join();
    time_.cancel(give_up);
    background_.cancel();
    co_await background_.join();
    serving_.cancel();
    co_await serving_.join();
    process_.log.info("Stopped");
  }

  // One session after the other, for as long as versions come and go.
  Task<> run_sessions() {
    while (!is_stopping_) {
      const std::optional<client::Served> served = co_await find_version();
      if (!served) continue;
      Session session(process_, connection_.rest(), sink_, options_, *served);
      session_ = &session;
      runtime::TaskGroup group(process_.loop.executor());
      group.spawn("session", run_session(session, group));
      group.spawn("version", end_when_not_served(session));
      co_await group.join();
      session_ = nullptr;
    }
  }

  static Task<> run_session(Session& session, runtime::TaskGroup& group) {
    co_await session.run();
    group.cancel();
  }

  // Nothing: not served, or not known; a while has been waited already.
  Task<std::optional<client::Served>> find_version() {
    const client::Availability availability = co_await discover();
    if (const auto* served = std::get_if<client::Served>(&availability)) {
      process_.log.info("Using resource.k8s.io", {{"version", served->version}});
      discovery_problem_.clear();
      discovery_guard_.reset();
      co_return *served;
    }
    discovery_problem_ = describe(availability);
    if (discovery_guard_.should_log(discovery_problem_)) {
      process_.log.warning("Cannot work yet", {{"why", discovery_problem_}});
    }
    co_await stop_requested_.wait(Deadline::after(time_, retry_interval(availability)));
    co_return std::nullopt;
  }

  // Only somebody else can make an API served, but a server that is not there may be just starting.
  static runtime::Duration retry_interval(const client::Availability& availability) {
    const auto* unknown = std::get_if<client::Unknown>(&availability);
    return unknown != nullptr && runtime::is_transient(unknown->error) ? 2s : kDiscoveryInterval;
  }

  static std::string describe(const client::Availability& availability) {
    if (const auto* unknown = std::get_if<client::Unknown>(&availability)) {
      return "resource.k8s.io: " + unknown->error.message;
    }
    const auto* not_served = std::get_if<client::NotServed>(&availability);
    return not_served != nullptr ? not_served->why : std::string();
  }

  Task<client::Availability> discover() {
    return discovery_.find({&api::kResourceClaims, &api::kResourceClaimTemplates},
                           Deadline::after(time_, kDiscoveryInterval));
  }

  Task<> end_when_not_served(Session& session) {
    for (;;) {
      co_await runtime::sleep_for(time_, kDiscoveryInterval);
      if (!session.has_failing_watch()) continue;
      const client::Availability availability = co_await discover();
      const auto* served = std::get_if<client::Served>(&availability);
      const bool is_same = served != nullptr && served->version == session.version();
      if (is_same || std::holds_alternative<client::Unknown>(availability)) continue;
      process_.log.warning("The API server has stopped serving the version in use",
                           {{"version", session.version()}});
      session.stop();
    }
  }

  std::optional<std::string> why_not_ready() const {
    if (is_stopping_) return "stopping";
    if (session_ == nullptr) {
      return discovery_problem_.empty() ? "asking the API server what it serves"
                                        : discovery_problem_;
    }
    std::string why;
    for (const std::string& missing : session_->missing()) {
      why += (why.empty() ? "" : "; ") + missing;
    }
    return why.empty() ? std::nullopt : std::optional(why);
  }

  Process process_;
  runtime::TimeSource& time_;
  const Options& options_;
  Connection& connection_;
  http::Listener* status_listener_;  // null: not served
  Health health_;
  client::EventRecorder recorder_;
  RecorderSink sink_;
  client::Discovery discovery_;
  Session* session_ = nullptr;  // null: none
  std::string discovery_problem_;
  bool is_stopping_ = false;
  runtime::Condition stop_requested_;
  runtime::RepeatGuard discovery_guard_;
  runtime::TaskGroup serving_;
  runtime::TaskGroup background_;
  runtime::TaskGroup work_;
};

// One line on standard error, and exit status 1.
int refuse(const runtime::Error& error) {
  std::fputs(fmt::format("dra-controller-manager: {}\n", error.message).c_str(), stderr);
  return 1;
}

Result<std::unique_ptr<http::Listener>> listen(runtime::Loop& loop, const std::string& address) {
  if (address.empty()) return std::unique_ptr<http::Listener>();
  return http::make_tcp_listener(loop.executor(), loop.time(), address, std::nullopt);
}

// The first signal asks the manager to stop, the second one does not ask.
void stop_on_signals(runtime::Loop& loop, Manager& manager) {
  loop.on_signals({SIGTERM, SIGINT}, [&manager, count = 0](int) mutable {
    if (++count > 1) std::_Exit(1);
    manager.request_stop();
  });
}

}  // namespace

int run_manager(const Options& options) {
  // A reader of our log or of a connection that goes away is an error of that write, not our end.
  std::signal(SIGPIPE, SIG_IGN);
  const auto config =
      client::load_cluster_config(options.cluster, client::Environment::of_process());
  if (!config) return refuse(config.error());

  runtime::Loop loop;
  const auto backend = std::make_shared<runtime::LogBackend>(loop.time(), options.logging_format,
                                                             runtime::write_to_stderr());
  backend->set_verbosity(options.verbosity);
  const runtime::Logger log(backend);
  runtime::MetricsRegistry metrics;
  const runtime::Refresh process_metrics = register_process(metrics, options);
  runtime::Rng rng = runtime::Rng::from_system();
  const Process process{loop, metrics, rng, log};

  auto connection = Connection::open(*config, options, process);
  if (!connection) return refuse(connection.error());
  const auto listener = listen(loop, options.metrics_bind_address);
  if (!listener) return refuse(listener.error());

  log.info("Starting", {{"version", runtime::kVersion},
                        {"server", config->server.url()},
                        {"config", config->origin}});
  for (const std::string& warning : config->warnings) log.warning(warning);
  Manager manager(process, options, **connection, listener->get());
  stop_on_signals(loop, manager);
  loop.run(manager.run());
  return 0;
}

}  // namespace dcm::manager
