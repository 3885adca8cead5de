// Leader election of the process: what happens when the lease is acquired or lost, and on stop.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/api/event.hpp"
#include "client/leader_election/leader_elector.hpp"
#include "client/leader_election/timing.hpp"
#include "manager/connection.hpp"
#include "manager/elected.hpp"
#include "manager/stop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {

struct LeaderElectionOptions {
  api::NamespacedName lease;
  leader_election::Timing timing = {};
  // Unique to this process, and never used twice; empty: one is made from the host's name.
  std::string identity = {};
  // Called instead of ending the process when the lease is lost; for tests, which share a process.
  std::function<void()> on_lost = {};
};

// Tries to acquire the lease once that is requested, and sets `elected` when it is acquired. When
// the lease is lost, the process ends at once with exit status 1: it must no longer write, and the
// next one starts with fresh caches.
class LeaderElection final : leader_election::LeaderCallbacks {
 public:
  // Called when the lease is acquired: the object of the event, and its message.
  using Report = std::function<void(const api::ObjectReference& lease, std::string_view message)>;

  // All references must outlive it.
  LeaderElection(const Process& process, const LeaderElectionOptions& options,
                 client::RestClient& rest, leader_election::Fence& fence, Report report,
                 Elected& elected);

  // `stop` is notified of a failure.
  void start(Stop& stop);
  // Releases the lease if it is ours. Call after the last write.
  runtime::Task<> stop();
  // Stops, and leaves the lease as it is.
  runtime::Task<> abandon();
  // Why this process cannot take part in the election; nullopt if nothing is wrong, or not for long
  // (kFailingMax).
  std::optional<runtime::Problem> problem() const;

  const std::string& identity() const { return identity_; }
  bool is_leading() const { return elector_.is_leading(); }
  // The known leader; empty if none.
  const std::string& leader() const { return elector_.leader(); }

 private:
  runtime::Task<> run();
  void on_started_leading(const api::ObjectMeta& lease) override;
  void on_lost(std::string_view why) override;

  std::string identity_;
  Report report_;
  std::function<void()> on_lost_;
  runtime::TimeSource& time_;
  Elected& elected_;
  leader_election::LeaderElector elector_;
  runtime::TaskGroup tasks_;
};

}  // namespace dcm::manager
