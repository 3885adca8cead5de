// Keeps track of which pods must go, as objects change: the indexes together, without I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "controllers/device_taint_eviction/rules/decide_due.hpp"
#include "controllers/device_taint_eviction/tracker/allocated_devices.hpp"
#include "controllers/device_taint_eviction/tracker/lookup.hpp"
#include "controllers/device_taint_eviction/tracker/pending_pods.hpp"
#include "controllers/device_taint_eviction/tracker/published_devices.hpp"
#include "controllers/device_taint_eviction/tracker/rules.hpp"

namespace dcm::device_taint_eviction {

// A pod that need not be evicted any more.
struct Released {
  PodRef pod;
  enum class Why : std::uint8_t { may_stay, goes } why{};
  std::optional<SentEviction> unanswered;  // of a pod that goes: perhaps it was that
};

// Told of every change of pods, claims, slices and rules; the look-up must already show it. A
// change of a pod or claim is followed up at once, as it concerns few pods. One of a slice or a
// rule makes walks over the devices that it concerns, to be advanced by the owner in slices; a pod
// that a walk has not reached yet is judged as before.
//
// Invariant, while there are no walks: a pod is pending exactly if decide_due says so, with that
// due time and those rules, and it was not evicted. Loop thread only; time is the caller's
// business.
class Tracker {
 public:
  // `lookup` must outlive it.
  explicit Tracker(const Lookup& lookup) : lookup_(lookup) {}

  // A null `before` means that the object came, a null `after` that it went (or is of no interest
  // any more).
  void observe_pod(const PodPtr& before, const PodPtr& after);
  void observe_claim(const ClaimPtr& before, const ClaimPtr& after);
  void observe_slice(const SlicePtr& before, const SlicePtr& after);
  void observe_rule(const RulePtr& before, const RulePtr& after);

  // Before, nothing is judged: a slice of an old generation may come first, a toleration last.
  // Afterwards there is a walk over everything.
  void start();

  bool has_walk() const noexcept { return !walks_.empty(); }
  // Advances the oldest walk by about `limit` devices. Returns whether that walk has ended: then
  // the conditions of its rules are worth a look, and after that the pods that are due.
  bool advance_walk(std::size_t limit);

  // Decides anew for a pod, now. Null: it may stay (or is gone, or was evicted).
  PendingPod* judge_again(const PodRef& pod);
  Verdict verdict(const api::Pod& pod) const;
  // The server has accepted the eviction of this pod, which was done because of these rules. It is
  // not pending any more, and never will be. (A rule that is gone counts no more.)
  void record_evicted(const PodRef& pod, const std::vector<RuleId>& rules);

  // Whether the server has accepted its eviction, for a pod that the cache still shows.
  bool was_evicted(const api::Uid& pod) const { return evicted_.contains(pod); }
  // Whether a walk over the devices of this rule is still to be made, or to be ended.
  bool is_walking_for(const std::string& rule) const { return walked_for_.contains(rule); }

  // Pods that were pending and are not any more, without our doing as far as is known, since the
  // last call.
  std::vector<Released> take_released() { return std::exchange(released_, {}); }
  // Rules whose condition may have to say something else, by name, since the last call; but none
  // that a walk will still be for, and none that is gone.
  std::vector<std::string> take_touched_rules();

  PendingPods& pending() noexcept { return pending_; }
  const PendingPods& pending() const noexcept { return pending_; }
  Rules& rules() noexcept { return rules_; }
  const Rules& rules() const noexcept { return rules_; }
  const AllocatedDevices& allocated() const noexcept { return allocated_; }
  const PublishedDevices& published() const noexcept { return published_; }
  const Lookup& lookup() const noexcept { return lookup_; }

 private:
  struct WalkFor {
    AllocatedDevices::Walk walk;
    std::string rule;  // whose condition it is for; empty: none
  };

  void judge(const PodPtr& pod);
  void judge_consumers(const ClaimPtr& claim);
  void release(const api::Pod& pod);
  void forget(const api::Pod& pod);

  const Lookup& lookup_;
  PublishedDevices published_;
  AllocatedDevices allocated_;
  Rules rules_;
  PendingPods pending_{rules_};
  // Those that the cache still shows.
  std::unordered_set<api::Uid> evicted_;
  std::deque<WalkFor> walks_;
  std::unordered_multiset<std::string> walked_for_;  // the rules of walks_
  std::vector<Released> released_;
  std::unordered_set<std::string> touched_;
  bool is_started_ = false;
};

}  // namespace dcm::device_taint_eviction
