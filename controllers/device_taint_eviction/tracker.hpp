// Keeps track of which pods must be evicted, as objects change: combines the indexes, without I/O.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "controllers/device_taint_eviction/rules/decide_due.hpp"
#include "controllers/device_taint_eviction/state/allocated_devices.hpp"
#include "controllers/device_taint_eviction/state/lookup.hpp"
#include "controllers/device_taint_eviction/state/pending_pods.hpp"
#include "controllers/device_taint_eviction/state/published_devices.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"
#include "runtime/sharded_map.hpp"

namespace dcm::device_taint_eviction {

// Pods to be judged again, each once, however many changes concern it. First come, first judged.
// Loop thread only.
class DirtyPods {
 public:
  // A pod that already waits keeps its place.
  void add(const api::Pod& pod) {
    if (!waiting_.insert(pod.meta.uid)) return;
    pods_.push_back({pod.meta.key, pod.meta.uid});
    ++added_;
  }
  // nullopt: none waits.
  std::optional<PodRef> take() {
    if (pods_.empty()) return std::nullopt;
    PodRef pod = std::move(pods_.front());
    pods_.pop_front();
    waiting_.erase(pod.uid);
    return pod;
  }
  bool empty() const noexcept { return pods_.empty(); }
  std::size_t size() const noexcept { return pods_.size(); }

  // All that were ever added, and all that were taken: once `taken` reaches an earlier value of
  // `added`, all pods of that time are judged.
  std::uint64_t added() const noexcept { return added_; }
  std::uint64_t taken() const noexcept { return added_ - pods_.size(); }

 private:
  std::deque<PodRef> pods_;
  runtime::ShardedSet<api::Uid> waiting_;
  std::uint64_t added_ = 0;
};

// A pod that need not be evicted any longer.
struct Released {
  PodRef pod;
  enum class Why : std::uint8_t { may_stay, goes } why{};
  std::optional<SentEviction> unanswered;  // an eviction that may be why the pod goes
};

// Notified of every change of pods, claims, slices and rules; the look-up must already show it. A
// change of a pod is handled at once. A change of a claim or device marks its pods dirty; a change
// of a rule, of a device that many claims use, or of a large pool starts a walk over the devices
// concerned, which finds such pods. The owner processes both in slices; until then a pod is judged
// as before. Pods marked by a claim or device go first, but take three quarters of a slice at most
// while there is other work. A walk pauses while a few thousand of the pods that it has found wait
// for judgement.
//
// Invariant, while there is no work: a pod is pending exactly if decide_due says so, with that due
// time and those rules, and it was not evicted. Loop thread only; the caller passes the time.
class Tracker {
 public:
  // All must outlive it. `pending` counts for `rules`; nobody else changes these.
  Tracker(const Lookup& lookup, TaintRules& rules, PendingPods& pending)
      : lookup_(lookup), rules_(rules), pending_(pending) {}

  // A null `before` means that the object was added, a null `after` that it was removed (or is no
  // longer of interest).
  void observe_pod(const PodPtr& before, const PodPtr& after);
  void observe_claim(const ClaimPtr& before, const ClaimPtr& after);
  void observe_slice(const SlicePtr& before, const SlicePtr& after);
  void observe_rule(const RulePtr& before, const RulePtr& after);

  // Before this call, nothing is judged: a slice of an old generation may arrive first, a
  // toleration last. Afterwards there is a walk over everything.
  void start();

  bool has_work() const noexcept {
    return !walks_.empty() || !urgent_.empty() || !found_.empty() || !found_for_.empty() ||
           pending_.has_work();
  }
  // Does about `limit` steps of the work: each examines a device or a taint. May exceed it by the
  // judgement of one pod.
  void advance(std::size_t limit);

  // Judges a pod again, now. Null if it may stay (or is gone, or was evicted).
  PendingPod* judge_again(const PodRef& pod);
  Taints taints() const { return {published_, rules_}; }
  // The server has accepted the eviction of this pod, due to these rules. The pod is no longer
  // pending, and never will be, unless the cache does not show its deletion within kShownWithin. (A
  // deleted rule no longer counts.)
  void record_evicted(const PodRef& pod, const std::vector<RuleId>& rules, runtime::MonoTime now);
  static constexpr runtime::Duration kShownWithin = std::chrono::minutes(5);
  // Judges evicted pods again that the cache shows as running after that time.
  void recheck_evictions(runtime::MonoTime now);
  // When there may be some; nullopt: no pod was evicted lately.
  std::optional<runtime::MonoTime> next_recheck() const;

  // Whether the server has accepted its eviction, for a pod that the cache still shows.
  bool was_evicted(const api::Uid& pod) const { return evicted_.contains(pod); }
  // Whether pods must still be found, or judged, because of a change of this rule.
  bool is_looking_for(const std::string& rule) const { return looked_for_.contains(rule); }

  // Pods that are no longer pending, through no known action of ours, since the last call.
  std::vector<Released> take_released() { return std::exchange(released_, {}); }
  // Rules whose condition may have to change, by name, since the last call; without rules whose
  // pods are still being searched, and without deleted ones.
  std::vector<std::string> take_touched_rules();

  const PendingPods& pending() const noexcept { return pending_; }
  const TaintRules& rules() const noexcept { return rules_; }
  const AllocatedDevices& allocated() const noexcept { return allocated_; }
  const PublishedDevices& published() const noexcept { return published_; }
  const Lookup& lookup() const noexcept { return lookup_; }

 private:
  struct WalkFor {
    AllocatedDevices::Walk walk;
    std::unordered_set<std::string> rules = {};  // the rules whose conditions it serves
  };
  // For a walk that has ended: its pods are among those found up to then.
  struct FoundFor {
    std::uint64_t found;
    std::unordered_set<std::string> rules;
  };
  struct Accepted {
    PodRef pod;
    runtime::MonoTime at;
  };

  std::size_t judge(const PodPtr& pod, PendingPod::Waits first = PendingPod::Waits::until_due);
  std::size_t judge_next(DirtyPods& pods, PendingPod::Waits first);
  std::size_t judge_urgent(std::size_t limit);
  std::size_t advance_walk(std::size_t limit);
  WalkFor& walk_for(const api::DeviceSelector& selector);
  void await(WalkFor& walk, const std::string& rule);
  void conclude_found();
  void release(const api::Pod& pod);
  void forget(const api::Pod& pod);

  const Lookup& lookup_;
  TaintRules& rules_;
  PendingPods& pending_;
  PublishedDevices published_;
  AllocatedDevices allocated_;
  // The evicted pods that the cache still shows.
  runtime::ShardedSet<api::Uid> evicted_;
  std::deque<Accepted> accepted_;  // evictions of the last kShownWithin
  DirtyPods urgent_;               // because of a claim or a device
  std::deque<WalkFor> walks_;
  DirtyPods found_;  // by walks
  std::deque<FoundFor> found_for_;
  std::unordered_multiset<std::string> looked_for_;  // the rules of walks_ and found_for_
  std::vector<Released> released_;
  std::unordered_set<std::string> touched_;
  bool is_started_ = false;
};

}  // namespace dcm::device_taint_eviction
