// Kubelet's work for DRA on one node. The agent finds drivers, prepares and unprepares the claims
// of pods with them, and remembers operations that it has begun. It deletes the slices of lost
// drivers, and tracks the health of devices.
//
// The code that runs the pods asks it before their containers start and after they have stopped.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "node/agent/slice_wiper.hpp"
#include "node/claims/manager.hpp"
#include "node/devices/container_devices.hpp"
#include "node/files.hpp"
#include "node/plugins/registration_loop.hpp"

namespace dcm::node {

// The reaction at the start to an unusable checkpoint.
enum class OnCorruptState : std::uint8_t {
  refuse,   // as kubelet: open() fails
  rebuild,  // the file is kept under another name, and entries are made from the pods that run
};

struct ResourceHealth {
  std::string id;  // the first CDI device, else "driver/pool/device"
  DeviceHealth state;
};

struct AgentOptions {
  std::string node;      // its name in the API
  std::string state;     // the folder of the checkpoint, which must be there
  std::string registry;  // the folder in which drivers put their registration sockets
  ServiceChoice service_choice = ServiceChoice::first_named;
  FirstWipe first_wipe = FirstWipe::at_start;
  OnCorruptState on_corrupt = OnCorruptState::refuse;
  ClaimManagerOptions claims = {};
};

// The agent's news for the code that runs the pods. No call may wait.
struct AgentNews {
  // A driver has come, connected or gone: what failed for want of one may be tried again.
  std::function<void()> drivers_changed = [] {};
  // The health of devices that these pods (by UID) have is another one.
  std::function<void(const std::set<std::string>& pods)> health_changed = [](const auto&) {};
};

// Loop thread only.
class Agent final : private DriverObserver {
 public:
  // All references must outlive it. `drivers` connects to Unix sockets.
  Agent(runtime::LoopRef loop, http::Transport& drivers, Files& files, NodeApi& api,
        runtime::Rng& rng, runtime::MetricsRegistry& metrics, runtime::Logger log,
        AgentOptions options, AgentNews news);

  // Reads the checkpoint. First of all. Errors: malformed, configuration.
  runtime::Result<> open();
  // Whether a checkpoint was set aside, now or before a crash: each pod that runs is to be given to
  // enter(), and then end_rebuilding() to be called.
  bool has_lost_entries() const noexcept { return has_lost_entries_; }
  void end_rebuilding();
  // Ends by cancellation only.
  runtime::Task<> run();

  // As ClaimManager's. Errors are texts for events.
  runtime::Task<Outcome> prepare(api::ObjectPtr<api::Pod> pod);
  runtime::Task<Outcome> unprepare(api::ObjectPtr<api::Pod> pod);
  runtime::Task<Outcome> enter(api::ObjectPtr<api::Pod> pod) {
    return claims_.enter(std::move(pod));
  }
  void observe_pods(std::set<std::string> active);

  const Book& book() const noexcept { return claims_.book(); }
  bool is_registered(const std::string& driver) const { return plugins_.is_registered(driver); }
  // The devices of the claim that are for the container, each resource ID once: a row of
  // status.containerStatuses[].allocatedResourcesStatus (KEP-4680).
  std::vector<ResourceHealth> health_of(const ContainerClaim& claim) const;

 private:
  void observe_driver(const std::string& driver) override;
  void observe_health(const std::string& driver, const std::string& instance,
                      const std::vector<HealthReport>& report) override;
  void observe_health_end(const std::string& driver, const std::string& instance) override;
  void observe_call(const std::string& driver, std::string_view method, grpc::Code code,
                    runtime::Duration duration) override;

  ClaimManagerOptions counting_skips(ClaimManagerOptions options);
  runtime::Task<> unprepare_orphans();
  runtime::Task<> expire_health();
  void look_for_orphans();
  void tell(const std::string& driver, const HealthTable::Change& change);
  std::vector<std::string> connected_drivers() const;
  runtime::Task<Outcome> measured(std::string operation, runtime::Task<Outcome> task);
  void count_claims();

  runtime::LoopRef loop_;
  runtime::MetricsRegistry& metrics_;
  runtime::Logger log_;
  AgentNews news_;
  OnCorruptState on_corrupt_;
  bool has_lost_entries_ = false;
  DriverConnections plugins_;
  RegistrationLoop registration_loop_;
  CheckpointStore store_;
  ClaimManager claims_;
  SliceWiper wiper_;
  HealthTable health_;
  std::set<std::string> drivers_;  // that were ever seen
  bool may_have_orphans_ = false;
  runtime::Condition orphans_;
  runtime::Condition health_changed_;
  runtime::Refresh count_claims_;
};

}  // namespace dcm::node
