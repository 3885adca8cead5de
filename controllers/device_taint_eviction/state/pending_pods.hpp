// The pods to be evicted, now or later: when each is tried next, and because of which rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "client/api/meta.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"
#include "runtime/sharded_map.hpp"
#include "runtime/time.hpp"
#include "workqueue/delays.hpp"
#include "workqueue/item_report.hpp"
#include "workqueue/rate_limit.hpp"

namespace dcm::device_taint_eviction {

using workqueue::Now;

// Identifies one pod: a recreated pod of the same name has another UID.
struct PodRef {
  api::NamespacedName key;
  api::Uid uid;

  friend bool operator==(const PodRef&, const PodRef&) = default;
};

// A sent eviction.
struct SentEviction {
  runtime::WallTime due;
  std::vector<RuleId> rules;
  runtime::WallTime sent;
  bool is_announced = false;  // its event has been reported
};

inline constexpr std::uint32_t kTransientFailuresMax = 5;

// A pending pod waits for its next attempt until it is due and its back-off has ended. Before that,
// a pod found by a walk waits for the end of the walk. While a worker processes it, it waits for
// nothing.
struct PendingPod {
  enum class Waits : std::uint8_t { for_walk, until_due, after_failure, for_budget, with_worker };

  PodRef pod;
  std::uint64_t sequence = 0;  // of its current wait
  std::vector<RuleId> rules;   // sorted; a driver's taint is not among them
  runtime::WallTime due;
  runtime::MonoTime not_before;  // the end of its back-off
  Waits waits = Waits::with_worker;
  // Kept between attempts.
  runtime::Duration backoff{};  // the last one
  std::uint32_t failures = 0;
  bool is_announced = false;                    // an event was written
  std::optional<SentEviction> unanswered = {};  // may have been executed

  bool is_with_worker() const { return waits == Waits::with_worker; }
};

// The one schedule of evictions. Every change costs O(log n) plus the number of the pod's rules;
// counts are kept, never searched.
// Invariants: a pod is in one of the two orders, waits for a walk, or is with a worker; the counts
// of a rule are those of the pods that name it. Loop thread only; no I/O.
class PendingPods {
 public:
  // `rules` must outlive it.
  explicit PendingPods(TaintRules& rules) : rules_(rules) {}

  // Adds or updates a pod that must be evicted at `due`; the time and the rules may have changed. A
  // new one waits as `first` says: until_due or for_walk. A pod that is due later than before loses
  // its failures and back-off.
  void put(const PodRef& pod, runtime::WallTime due, std::vector<RuleId> rules,
           PendingPod::Waits first = PendingPod::Waits::until_due);
  // A walk has found all its pods: advance() lets those that wait for it wait until they are due.
  void end_walk() { ended_ = found_.size(); }
  // Call it when the cause of failures may have ended: advance() lets all pods that have failed
  // before be retried at once, with a new back-off.
  void retry_now(runtime::MonoTime now) { retrying_.begin(now, last_sequence_ + 1); }
  // Whether end_walk() or retry_now() has left work for advance().
  bool has_work() const noexcept { return ended_ > 0 || retrying_.since(); }
  // Examines at most `limit` pods for that. Returns how many.
  std::size_t advance(std::size_t limit);
  // The pod no longer needs to be evicted, or is gone. nullopt: it was not pending.
  std::optional<PendingPod> erase(const api::Uid& uid);
  // Counts a pod that was evicted because of these rules, whether or not it is still pending.
  void count_evicted(const std::vector<RuleId>& rules);

  // Null if it need not be evicted. Valid until it is erased.
  PendingPod* find(const api::Uid& uid) { return pods_.find(uid); }
  const PendingPod* find(const api::Uid& uid) const { return pods_.find(uid); }
  std::size_t size() const noexcept { return pods_.size(); }
  // Calls `visit(const PendingPod&)` for all, in no particular order: O(n), for explanations.
  template <class Visit>
  void for_each(Visit visit) const {
    pods_.for_each([&](const api::Uid&, const PendingPod& pod) { visit(pod); });
  }
  // The number of pods that have failed too often for the failures to be transient.
  std::size_t stuck() const noexcept { return stuck_; }
  // The number of pods whose eviction a budget does not allow yet.
  std::size_t held_by_budgets() const noexcept { return held_by_budgets_; }
  // The same for one namespace; and the number of namespaces with any such pod.
  std::size_t held_by_budgets(const api::InternedString& namespace_) const {
    const auto held = held_in_.find(namespace_);
    return held == held_in_.end() ? 0 : held->second.size();
  }
  std::size_t namespaces_held_by_budgets() const noexcept { return held_in_.size(); }

  // The next pod for a worker: first pods that become due, then pods that were tried before. Null
  // if none. The caller then calls put_back(), fail(), put_off(), hold() or erase().
  PendingPod* take(const Now& now);
  // When the next one may be available, by each clock.
  std::optional<runtime::WallTime> next_due() const;
  std::optional<runtime::MonoTime> next_retry() const;

  // The pod was taken too early.
  void put_back(PendingPod& pod);
  // An attempt has failed: retry after its back-off, which grows, and not before `pause` is over.
  void fail(PendingPod& pod, runtime::MonoTime now, runtime::Duration pause);
  // Nothing needs to be done before that time, and perhaps not even then.
  void put_off(PendingPod& pod, runtime::MonoTime until);
  // A budget does not allow the eviction: that is no failure, and the delay does not grow.
  void hold(PendingPod& pod, runtime::MonoTime until);
  // A budget may have room now, in that namespace: see wake_stirred().
  void stir(const api::InternedString& namespace_);
  // In each stirred namespace, the pod that a budget has held longest is tried at `when`.
  void wake_stirred(runtime::MonoTime when);

  // The rules whose counts have changed since the last call.
  std::vector<RuleId> take_touched();

 private:
  // Pods by a time, which must not change while they are here.
  template <class Time>
  using ByTime = std::set<workqueue::Wait<Time, PendingPod>>;

  void update(PendingPod& pending, runtime::WallTime due, std::vector<RuleId> rules,
              PendingPod::Waits first);
  void count(const PendingPod& pod);
  void uncount(const PendingPod& pod);
  void forgive(PendingPod& pod);
  std::size_t admit(std::size_t limit);
  void wait(PendingPod& pod, PendingPod::Waits waits);
  void leave(PendingPod& pod);

  TaintRules& rules_;
  runtime::ShardedMap<api::Uid, PendingPod> pods_;
  ByTime<runtime::WallTime> due_;
  ByTime<runtime::MonoTime> retries_;
  std::deque<api::Uid> found_;  // pods that wait or waited for a walk
  std::size_t ended_ = 0;       // the first of them, whose walk has ended
  workqueue::DelayWalk<PendingPod> retrying_;
  // The retries that wait for a budget, by namespace: the first of each has waited longest.
  std::unordered_map<api::InternedString, ByTime<runtime::MonoTime>> held_in_;
  std::set<api::InternedString> stirred_;
  std::set<RuleId> touched_;
  std::uint64_t last_sequence_ = 0;
  std::size_t stuck_ = 0;
  std::size_t held_by_budgets_ = 0;
};

}  // namespace dcm::device_taint_eviction

template <>
struct std::hash<dcm::device_taint_eviction::PodRef> {
  std::size_t operator()(const dcm::device_taint_eviction::PodRef& pod) const noexcept {
    return pod.uid.hash();
  }
};
