// Prepares and unprepares the claims of pods, and remembers what it has begun. An entry is written
// before its driver is called, and removed only after the driver has unprepared it: so after a
// crash, each entry on disk is either prepared again for its pod or unprepared. Operations on one
// claim are sequential; all drivers of a pod are called concurrently.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controllers/api/pod.hpp"
#include "node/checkpoint/store.hpp"
#include "node/claims/locks.hpp"
#include "node/claims/look.hpp"
#include "node/claims/ports.hpp"
#include "node/claims/shared_writes.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/slots.hpp"

namespace dcm::node {

// Errors are in kubelet's words, as shown in events.
using ClaimResult = std::expected<void, std::string>;

// What to do at the end of a pod with a claim that has no entry, because the checkpoint was
// removed.
enum class UnknownClaims : std::uint8_t {
  leave,      // like kubelet: its drivers keep their state
  unprepare,  // unprepare it if the API server shows it allocated to the pod and reserved for it
};

struct ClaimManagerOptions {
  LookRules rules = {};
  UnknownClaims unknown = UnknownClaims::leave;
  // A claim's allocation says that the driver call must be skipped (KEP-5963); `operation` is
  // kSkipPrepare or kSkipUnprepare. Must not wait.
  std::function<void(std::string_view operation, const std::string& driver)> on_skip =
      [](std::string_view, const std::string&) {};
};

// Loop thread only.
class ClaimManager {
 public:
  // All arguments must outlive it.
  ClaimManager(runtime::LoopRef loop, ClaimSource& claims, DriverCalls& drivers,
               CheckpointStore& store, runtime::Logger log, ClaimManagerOptions options);

  // Reads the checkpoint. Call this first.
  runtime::Result<> open();

  // Call this before a pod's containers start. May be called again at any time, and cancelled when
  // the pod is deleted.
  runtime::Task<ClaimResult> prepare(api::ObjectPtr<api::Pod> pod);
  // Call this after a pod's containers have stopped, before its final phase is written.
  runtime::Task<ClaimResult> unprepare(api::ObjectPtr<api::Pod> pod);
  // Unprepares claims of pods that are not active, several at a time, so that they share writes,
  // and that a driver that hangs does not hold up the others. Does nothing before the pods have
  // been listed. Returns what failed; the next round retries it.
  runtime::Task<std::vector<std::string>> unprepare_orphans();
  // Creates entries, without a call, for claims of the pod that have none although the API server
  // assigns them to it: for a pod that ran while the checkpoint was lost.
  runtime::Task<ClaimResult> enter(api::ObjectPtr<api::Pod> pod);

  // All active pods of the node.
  void observe_pods(std::set<std::string> active) { active_ = std::move(active); }

  const Book& book() const noexcept { return book_; }

 private:
  using Views = std::expected<std::vector<ClaimView>, std::string>;
  using Failure = std::optional<std::string>;
  // nullopt: further claims conflict, and must be locked too.
  using Prepared = std::optional<ClaimResult>;
  using CallOne = runtime::Task<Failure> (ClaimManager::*)(std::string driver,
                                                           const std::vector<ClaimRef>&);

  runtime::Task<Prepared> prepare_claims(const api::Pod& pod,
                                         const std::vector<ClaimToLookUp>& wanted,
                                         std::set<api::NamespacedName>& locked);
  runtime::Task<Views> look(const api::Pod& pod, const std::vector<ClaimToLookUp>& wanted);
  runtime::Task<> complete(const std::set<api::NamespacedName>& in_the_way);
  runtime::Task<> clear_the_way(const std::set<api::NamespacedName>& in_the_way,
                                const std::string& pod_uid);
  runtime::Task<ClaimResult> write_ahead(const std::vector<Held>& entries);
  // Requires the locks of `claims`.
  runtime::Task<ClaimResult> enter_held(const api::Pod& pod,
                                        const std::vector<ClaimToLookUp>& claims);
  void add_other_pods(const ClaimView& view, Held& held) const;
  runtime::Task<ClaimResult> call_prepare(const PreparePlan& plan);
  runtime::Task<Failure> prepare_one(std::string driver, const std::vector<ClaimRef>& claims);
  void record(const ClaimRef& claim, const std::string& driver,
              const std::vector<PreparedDevice>& devices);
  void mark_prepared(const std::vector<Held>& entries);

  runtime::Task<ClaimResult> unprepare_claims(std::string pod_uid,
                                              std::set<api::NamespacedName> keys);
  runtime::Task<ClaimResult> unprepare_orphan(runtime::Slots& slots, std::string pod_uid,
                                              api::NamespacedName key);
  // Requires the locks of `keys`.
  runtime::Task<ClaimResult> unprepare_held(const std::string& pod_uid,
                                            const std::set<api::NamespacedName>& keys);
  runtime::Task<Failure> call_unprepare(const UnpreparePlan& plan);
  runtime::Task<Failure> unprepare_one(std::string driver, const std::vector<ClaimRef>& claims);
  void mark_going(const std::vector<ClaimRef>& claims);
  runtime::Task<ClaimResult> drop(const UnpreparePlan& plan, const std::string& pod_uid);

  // Returns the first failure, by driver.
  runtime::Task<Failure> call_all(const Calls& calls, CallOne call);
  // Changes the book and writes it; reverts the change if the write fails.
  runtime::Task<ClaimResult> commit(std::set<api::NamespacedName> keys,
                                    const std::function<void()>& change);
  runtime::Task<ClaimResult> write_or_restore(std::set<api::NamespacedName> keys,
                                              const Book& before);
  Book copy_of(const std::set<api::NamespacedName>& keys) const;
  void restore(const std::set<api::NamespacedName>& keys, const Book& before);

  runtime::LoopRef loop_;
  ClaimSource& claims_;
  DriverCalls& drivers_;
  CheckpointStore& store_;
  runtime::Logger log_;
  ClaimManagerOptions options_;
  Book book_;
  ClaimLocks locks_;
  SharedWrites writes_;
  std::multiset<std::string> preparing_;         // UIDs of pods
  std::optional<std::set<std::string>> active_;  // nullopt: not listed yet
};

}  // namespace dcm::node
