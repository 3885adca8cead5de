#include "controllers/device_taint_eviction/state/pending_pods.hpp"

#include <algorithm>
#include <utility>

#include "runtime/assert.hpp"

namespace dcm::device_taint_eviction {
namespace {

// The first pod if its time has come; otherwise null.
template <class ByTime, class Time>
PendingPod* first_until(const ByTime& pods, Time now) {
  return pods.empty() || pods.begin()->due > now ? nullptr : pods.begin()->entry;
}

template <class ByTime>
void erase_from(ByTime& pods, const typename ByTime::key_type& when) {
  const std::size_t erased = pods.erase(when);
  DCM_ASSERT(erased == 1);
}

}  // namespace

void PendingPods::put(const PodRef& pod, runtime::WallTime due, std::vector<RuleId> rules,
                      PendingPod::Waits first) {
  const auto [entry, is_new] = pods_.try_emplace(pod.uid);
  PendingPod& pending = entry->second;
  if (!is_new) return update(pending, due, std::move(rules), first);
  pending.pod = pod;
  pending.due = due;
  pending.rules = std::move(rules);
  count(pending);
  wait(pending, first);
}

void PendingPods::update(PendingPod& pending, runtime::WallTime due, std::vector<RuleId> rules,
                         PendingPod::Waits first) {
  using enum PendingPod::Waits;
  const bool leaves_walk = pending.waits == for_walk && first != for_walk;
  if (!leaves_walk && pending.due == due && pending.rules == rules) return;
  uncount(pending);
  pending.rules = std::move(rules);
  count(pending);
  const bool is_put_off = due > pending.due;
  if (is_put_off) forgive(pending);
  const bool keeps_its_place = pending.waits == with_worker || pending.waits == for_budget ||
                               (pending.waits == after_failure && !is_put_off);
  if (keeps_its_place) {
    pending.due = due;
    return;
  }
  const PendingPod::Waits next = pending.waits == for_walk ? first : until_due;
  leave(pending);
  pending.due = due;
  wait(pending, next);
}

std::size_t PendingPods::advance(std::size_t limit) {
  const std::size_t admitted = admit(limit);
  const auto retry = [this](PendingPod& pod) {
    if (pod.waits != PendingPod::Waits::after_failure) return;
    pod.backoff = {};
    put_off(pod, *retrying_.since());
  };
  return admitted + retrying_.advance(retries_, limit - admitted, retry);
}

std::size_t PendingPods::admit(std::size_t limit) {
  const std::size_t count = std::min(limit, ended_);
  for (std::size_t i = 0; i < count; ++i) {
    PendingPod* pod = find(found_.front());
    found_.pop_front();
    if (pod != nullptr && pod->waits == PendingPod::Waits::for_walk) put_back(*pod);
  }
  ended_ -= count;
  return count;
}

std::optional<PendingPod> PendingPods::erase(const api::Uid& uid) {
  PendingPod* found = pods_.find(uid);
  if (found == nullptr) return std::nullopt;
  uncount(*found);
  if (found->failures > kTransientFailuresMax) --stuck_;
  leave(*found);
  PendingPod erased = std::move(*found);
  pods_.erase(uid);
  return erased;
}

void PendingPods::count_evicted(const std::vector<RuleId>& rules) {
  for (const RuleId id : rules) {
    Rule* rule = rules_.find(id);
    if (rule == nullptr) continue;
    ++rule->evicted;
    touched_.insert(id);
  }
}

PendingPod* PendingPods::take(const Now& now) {
  // Skips pods whose back-off is over, but whose due time has changed meanwhile.
  PendingPod* retry = first_until(retries_, now.mono);
  while (retry != nullptr && retry->due > now.wall) {
    put_back(*retry);
    retry = first_until(retries_, now.mono);
  }
  PendingPod* const due = first_until(due_, now.wall);
  PendingPod* const next = due != nullptr ? due : retry;
  if (next != nullptr) leave(*next);
  return next;
}

std::optional<runtime::WallTime> PendingPods::next_due() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->due;
}

std::optional<runtime::MonoTime> PendingPods::next_retry() const {
  if (retries_.empty()) return std::nullopt;
  return retries_.begin()->due;
}

void PendingPods::put_back(PendingPod& pod) {
  leave(pod);
  wait(pod, PendingPod::Waits::until_due);
}

void PendingPods::fail(PendingPod& pod, runtime::MonoTime now, runtime::Duration pause) {
  if (++pod.failures == kTransientFailuresMax + 1) ++stuck_;
  pod.backoff = workqueue::kItemBackoff.after(pod.backoff);
  put_off(pod, now + std::max(pod.backoff, pause));
}

void PendingPods::put_off(PendingPod& pod, runtime::MonoTime until) {
  leave(pod);
  pod.not_before = until;
  wait(pod, PendingPod::Waits::after_failure);
}

void PendingPods::hold(PendingPod& pod, runtime::MonoTime until) {
  leave(pod);
  pod.not_before = until;
  forgive(pod);
  wait(pod, PendingPod::Waits::for_budget);
}

void PendingPods::stir(const api::InternedString& namespace_) {
  if (held_in_.contains(namespace_)) stirred_.insert(namespace_);
}

void PendingPods::wake_stirred(runtime::MonoTime when) {
  for (const api::InternedString& namespace_ : std::exchange(stirred_, {})) {
    const auto held = held_in_.find(namespace_);
    if (held == held_in_.end()) continue;
    PendingPod& first = *held->second.begin()->entry;
    if (first.not_before > when) hold(first, when);
  }
}

std::vector<RuleId> PendingPods::take_touched() {
  std::vector<RuleId> touched(touched_.begin(), touched_.end());
  touched_.clear();
  return touched;
}

void PendingPods::count(const PendingPod& pod) {
  for (const RuleId id : pod.rules) {
    Rule* rule = rules_.find(id);
    DCM_ASSERT(rule != nullptr);
    ++rule->pending;
    ++rule->pending_in[pod.pod.key.namespace_];
    touched_.insert(id);
  }
}

// A deleted rule has no counts.
void PendingPods::uncount(const PendingPod& pod) {
  for (const RuleId id : pod.rules) {
    Rule* rule = rules_.find(id);
    if (rule == nullptr) continue;
    --rule->pending;
    const auto in_namespace = rule->pending_in.find(pod.pod.key.namespace_);
    if (--in_namespace->second == 0) rule->pending_in.erase(in_namespace);
    touched_.insert(id);
  }
}

void PendingPods::forgive(PendingPod& pod) {
  pod.backoff = {};
  if (pod.failures > kTransientFailuresMax) --stuck_;
  pod.failures = 0;
}

void PendingPods::wait(PendingPod& pod, PendingPod::Waits waits) {
  pod.waits = waits;
  pod.sequence = ++last_sequence_;
  if (waits == PendingPod::Waits::for_walk) return found_.push_back(pod.pod.uid);
  if (waits == PendingPod::Waits::until_due) {
    due_.emplace(pod.due, pod.sequence, &pod);
    return;
  }
  retries_.emplace(pod.not_before, pod.sequence, &pod);
  if (waits != PendingPod::Waits::for_budget) return;
  held_in_[pod.pod.key.namespace_].emplace(pod.not_before, pod.sequence, &pod);
  ++held_by_budgets_;
}

void PendingPods::leave(PendingPod& pod) {
  const auto waits = std::exchange(pod.waits, PendingPod::Waits::with_worker);
  if (waits == PendingPod::Waits::with_worker || waits == PendingPod::Waits::for_walk) return;
  if (waits == PendingPod::Waits::until_due) return erase_from(due_, {pod.due, pod.sequence, &pod});
  const workqueue::Wait when(pod.not_before, pod.sequence, &pod);
  erase_from(retries_, when);
  if (waits != PendingPod::Waits::for_budget) return;
  const auto held = held_in_.find(pod.pod.key.namespace_);
  erase_from(held->second, when);
  if (held->second.empty()) held_in_.erase(held);
  --held_by_budgets_;
}

}  // namespace dcm::device_taint_eviction
