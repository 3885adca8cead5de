// How a program of controllers starts and stops, regardless of its controllers: in one order, for
// processes, tests and simulations.
//
// Start: the common parts (connections, ports), events, jobs, then the epoch, which fills the
// caches, requests the lease and works. Stop: jobs are cancelled at once; then, in reverse order,
// workers finish their current work, the lease is released, and events and the common parts end.
// Network, clocks, randomness and the consequence of a lost lease are passed in.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/events/event_recorder.hpp"
#include "manager/elected.hpp"
#include "manager/epoch.hpp"
#include "manager/epochs.hpp"
#include "manager/health.hpp"
#include "manager/leader_election.hpp"
#include "manager/process.hpp"
#include "manager/reconciler.hpp"
#include "manager/stop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {

struct LifecycleOptions {
  std::string program;  // the reporter of events and owner of fields
  // nullopt: no election; then only one instance may run.
  std::optional<LeaderElectionOptions> election = std::nullopt;
  // Limit for work in progress once the stop is requested.
  runtime::Duration drain_timeout = std::chrono::seconds(20);
};

// The controllers of a program: `fill` adds them, and the caches that they share, to each epoch.
struct Controllers {
  client::KindSet kinds = {};  // needed by an epoch in one version; empty if none
  std::function<void(Epoch&)> fill = {};
  // Called before the first epoch; it may request the stop. May be empty.
  std::function<runtime::Task<>()> before = {};
};

class Lifecycle {
 public:
  // All of them must outlive it. `rest` asks `fence` before each write; `lease_rest` does not, and
  // has a separate connection.
  struct Dependencies {
    Process process;
    client::RestClient& rest;
    client::RestClient& lease_rest;
    leader_election::Fence* fence = nullptr;  // null: there is never an election
  };

  Lifecycle(Dependencies dependencies, LifecycleOptions options);

  // Call these before run(); what they refer to must outlive this.

  void use(Controllers controllers);
  // Starts before everything else, and ends after it.
  void add_foundation(std::string name, JobFunction run);
  // Runs like the controllers, but in every instance. Ends by itself or by cancellation.
  void add_job(std::string name, JobFunction run);

  const Dependencies& dependencies() const { return deps_; }
  const LifecycleOptions& options() const { return options_; }
  client::EventRecorder& events() { return recorder_; }
  // Health of the process: it makes progress, its caches are complete, it takes part in the
  // election.
  Health& health() { return health_; }
  // Null without an election.
  const LeaderElection* election() const { return election_ ? &*election_ : nullptr; }
  // Why it is not ready to work.
  std::optional<runtime::Problem> why_not_ready() const;

  // Runs until request_stop(), or until a part fails.
  runtime::Task<> run();
  // From the start of run() on.
  bool is_running() const { return is_running_; }
  void request_stop(ExitStatus status = ExitStatus::asked_to_stop) { stop_.request(status); }
  ExitStatus exit_status() const { return stop_.exit_status(); }
  // The part that failed, and why; empty if none has.
  const std::string& failure() const { return stop_.failure(); }
  // For killing a simulated process, after run() was cancelled and has ended.
  runtime::Task<> abandon();

 private:
  struct Part {
    std::string name;
    JobFunction run;
  };

  void start();
  runtime::Task<> work();
  runtime::Task<> stop();
  runtime::Task<> drain();
  void give_up();
  bool has_lost_lease() const;
  runtime::Task<client::Availability> find();
  std::unique_ptr<Epoch> make_epoch(const client::Served& served);
  void spawn(runtime::TaskGroup& group, const std::string& part, runtime::Task<> task);

  Dependencies deps_;
  LifecycleOptions options_;
  runtime::TimeSource& time_;
  client::EventRecorder recorder_;
  Elected elected_;
  std::optional<LeaderElection> election_;
  Stop stop_;
  Controllers controllers_;
  std::optional<Epochs> epochs_;  // always set once there are controllers
  Health health_;
  std::vector<Part> foundations_;
  std::vector<Part> jobs_;
  runtime::TaskGroup background_;
  runtime::TaskGroup job_tasks_;
  runtime::TaskGroup work_;
  bool is_running_ = false;
};

}  // namespace dcm::manager
