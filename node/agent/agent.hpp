// Kubelet's work for DRA on one node. The agent finds drivers, prepares and unprepares the claims
// of pods with them, and remembers operations that it has begun. It deletes the slices of lost
// drivers, and tracks the health of devices. The code that runs the pods calls it before their
// containers start and after they have stopped.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "node/agent/connection_news.hpp"
#include "node/agent/metrics.hpp"
#include "node/agent/slice_wiper.hpp"
#include "node/claims/manager.hpp"
#include "node/devices/container_devices.hpp"
#include "node/files.hpp"
#include "node/plugins/registration_loop.hpp"

namespace dcm::node {

// What to do at the start with an unusable checkpoint.
enum class OnCorruptState : std::uint8_t {
  refuse,   // like kubelet: open() fails
  rebuild,  // the file is renamed, and entries are created from running pods
};

struct ResourceHealth {
  std::string id;  // the first CDI device, otherwise "driver/pool/device"
  DeviceHealth state;
};

struct AgentOptions {
  std::string node;      // its name in the API
  std::string state;     // the folder of the checkpoint, which must exist
  std::string registry;  // the folder in which drivers create their registration sockets
  ServiceChoice service_choice = ServiceChoice::first_named;
  FirstWipe first_wipe = FirstWipe::at_start;
  OnCorruptState on_corrupt = OnCorruptState::refuse;
  ClaimManagerOptions claims = {};
};

// Notifications for the code that runs the pods. No call may wait.
struct AgentNews {
  // A driver has appeared or connected: retry what failed for lack of a driver. Not called for each
  // connection of a driver that keeps reconnecting.
  std::function<void()> drivers_changed = [] {};
  // The health of devices of these pods (by UID) has changed. Called once a second at most.
  std::function<void(const std::set<std::string>& pods)> health_changed = [](const auto&) {};
};

// Loop thread only.
class Agent final : private DriverObserver {
 public:
  // All references must outlive it. `drivers` connects to Unix sockets.
  Agent(runtime::LoopRef loop, http::Transport& drivers, Files& files, NodeApi& api,
        runtime::Rng& rng, runtime::MetricsRegistry& metrics, runtime::Logger log,
        AgentOptions options, AgentNews news);

  // Reads the checkpoint. Call this first. Errors: malformed, configuration.
  runtime::Result<> open();
  // Whether a checkpoint was set aside, now or before a crash: call enter() for each running pod,
  // and then end_rebuilding().
  bool has_lost_entries() const noexcept { return has_lost_entries_; }
  void end_rebuilding();
  // Ends only by cancellation.
  runtime::Task<> run();

  // Like ClaimManager's functions. Errors are texts for events.
  runtime::Task<ClaimResult> prepare(api::ObjectPtr<api::Pod> pod);
  runtime::Task<ClaimResult> unprepare(api::ObjectPtr<api::Pod> pod);
  runtime::Task<ClaimResult> enter(api::ObjectPtr<api::Pod> pod) {
    return claims_.enter(std::move(pod));
  }
  void observe_pods(std::set<std::string> active);

  const Book& book() const noexcept { return claims_.book(); }
  bool is_registered(const std::string& driver) const { return plugins_.is_registered(driver); }
  // The devices of the claim for the container, each resource ID once: a row of
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
  runtime::Task<> tell_health();
  void look_for_orphans();
  void tell(const std::string& driver, const HealthTable::Change& change);
  std::vector<std::string> connected_drivers() const;
  runtime::Task<ClaimResult> measured(std::string operation, runtime::Task<ClaimResult> task);
  void count_claims();

  runtime::LoopRef loop_;
  AgentMetrics metrics_;
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
  ConnectionNews news_of_drivers_;
  std::set<std::string> drivers_;  // all ever seen
  bool may_have_orphans_ = false;
  runtime::Condition orphans_;
  runtime::Condition health_changed_;
  std::set<std::string> pods_to_tell_;  // UIDs; their devices' health has changed
  runtime::Condition pods_to_tell_changed_;
  runtime::Refresh count_claims_;
};

}  // namespace dcm::node
