// A manager as a process of the simulated world: everything that main() creates, except ports and
// files.
#pragma once

#include <memory>
#include <string>

#include "client/leader_election/fence.hpp"
#include "cmd/dra-controller-manager/controls.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "manager/connection.hpp"
#include "manager/lifecycle.hpp"
#include "test/simulation/process_clock.hpp"
#include "test/simulation/process_transport.hpp"

namespace dcm::simulation {

// Starts with empty caches. Call kill() or stop() before it is destroyed.
class ManagerProcess {
 public:
  struct Setup {
    std::string name;  // its user agent and its identity for the lease: never reused
    runtime::Executor executor;
    ProcessClock& clock;
    runtime::TimeSource& time;  // the world's, unaffected by faults of the process
    http::Transport& network;
    runtime::Rng rng;
    runtime::Logger log;
    const dra_manager::Options& options;
  };
  explicit ManagerProcess(Setup setup);

  const std::string& name() const { return name_; }
  void start();
  // Like SIGKILL: nothing is sent any longer, whatever it waits for.
  runtime::Task<> kill();
  // Like SIGTERM: work in progress is finished, the lease is released.
  runtime::Task<> stop();
  // Ends when the process dies by itself: it has lost the lease, or a part of it has failed.
  runtime::Task<> wait_until_lost();
  bool has_lost_lease() const { return has_lost_lease_; }
  // Why a part has failed: an invariant of the manager is broken. Empty if none has.
  const std::string& failure() const { return lifecycle_.failure(); }
  std::string metrics() { return metrics_.expose(); }
  void cut_connections() { transport_.cut(); }
  // Nothing is sent any longer; kill() must follow.
  void die() { transport_.die(); }
  // Stops or continues the process, except for its timers (ProcessClock).
  void freeze() { transport_.freeze(); }
  void thaw() { transport_.thaw(); }

 private:
  runtime::Task<> run();
  void lose();
  manager::LifecycleOptions lifecycle_options();

  std::string name_;
  const dra_manager::Options& options_;
  runtime::Rng rng_;
  runtime::MetricsRegistry metrics_;
  manager::Process process_;
  ProcessTransport transport_;
  leader_election::Fence fence_;
  std::unique_ptr<manager::Connection> connection_;
  manager::Lifecycle lifecycle_;
  dra_manager::CurrentExplanations explanations_;
  bool is_lost_ = false;
  bool has_lost_lease_ = false;
  runtime::Condition lost_;
  runtime::TaskGroup tasks_;
};

}  // namespace dcm::simulation
