// The pods that must go, now or later: when, because of which rules, and how many for each rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "client/api/meta.hpp"
#include "controllers/device_taint_eviction/tracker/due_heap.hpp"
#include "controllers/device_taint_eviction/tracker/rules.hpp"

namespace dcm::device_taint_eviction {

// One pod and no other: a pod that is made again under the same name has another UID.
struct PodRef {
  api::NamespacedName key;
  api::Uid uid;

  friend bool operator==(const PodRef&, const PodRef&) = default;
};

struct RuleCounts {
  std::size_t pending = 0;     // pods
  std::size_t namespaces = 0;  // of these pods
  std::size_t evicted = 0;     // pods, since this process started

  friend bool operator==(const RuleCounts&, const RuleCounts&) = default;
};

inline constexpr std::uint32_t kFailuresOfBadLuck = 5;

struct PendingPod : DueEntry {
  PodRef pod;
  std::vector<RuleId> rules;  // sorted; without those of drivers
  // How far its eviction is; kept through failed attempts.
  bool has_turn = false;      // it was let in by the rate of evictions, and has not used that yet
  bool is_announced = false;  // there is an event
  bool is_marked = false;     // the condition was written
  std::uint32_t failures = 0;
};

// Every change costs O(log n) and the rules of the pod; counts are kept, never searched.
// Invariants: a pod is in the heap until it is taken, and again when its due time changes; the
// counts of a rule are those of the pods that name it. Loop thread only; no I/O.
class PendingPods {
 public:
  // A pod that must go at `due`, or must go at another time or for other rules than before.
  void put(const PodRef& pod, runtime::WallTime due, std::vector<RuleId> rules);
  // It need not go any more, or has gone otherwise. Returns whether it was pending.
  bool erase(const api::Uid& uid);
  // A pod was evicted because of these rules, whether or not it is pending still.
  void count_evicted(const std::vector<RuleId>& rules);
  // An attempt to evict it has failed.
  void count_failure(PendingPod& pod);
  // The rule is gone, and its number of evicted pods with it.
  void forget(RuleId rule);

  // Null: it need not go. Valid until it is erased.
  PendingPod* find(const api::Uid& uid);
  const PendingPod* find(const api::Uid& uid) const;
  std::size_t size() const noexcept { return pods_.size(); }
  // Calls `visit(const PendingPod&)` for all, in no promised order: O(n), for who asks about them.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [uid, pod] : pods_) visit(pod);
  }
  // Pods with more failures than can be put down to bad luck.
  std::size_t stuck() const noexcept { return stuck_; }
  RuleCounts counts(RuleId rule) const;

  // Of the pods that were not taken yet.
  std::optional<runtime::WallTime> next_due() const;
  // The pod that is due first, if that is not after `now`; it stays pending.
  PendingPod* take_due(runtime::WallTime now);
  // It was taken too early, or needs another turn.
  void put_back(PendingPod& pod);

  // Those that were erased after a failed attempt, since the last call.
  std::vector<PodRef> take_given_up();

  // The rules whose counts have changed since the last call.
  std::vector<RuleId> take_touched();

 private:
  struct Tally {
    std::size_t pending = 0;
    std::unordered_map<api::InternedString, std::size_t> by_namespace;
    std::size_t evicted = 0;
    bool is_forgotten = false;
  };
  using Tallies = std::unordered_map<RuleId, Tally>;

  void count(const PendingPod& pod);
  void uncount(const PendingPod& pod);
  void drop_if_empty(Tallies::iterator tally);
  void touch(RuleId rule) { touched_.insert(rule); }

  std::unordered_map<api::Uid, PendingPod> pods_;
  DueHeap<PendingPod> heap_;
  Tallies tallies_;
  std::set<RuleId> touched_;
  std::vector<PodRef> given_up_;
  std::uint64_t last_sequence_ = 0;
  std::size_t stuck_ = 0;
};

}  // namespace dcm::device_taint_eviction

template <>
struct std::hash<dcm::device_taint_eviction::PodRef> {
  std::size_t operator()(const dcm::device_taint_eviction::PodRef& pod) const noexcept {
    return pod.uid.hash();
  }
};
