#include "controllers/device_taint_eviction/tracker/pending_pods.hpp"

#include <utility>

namespace dcm::device_taint_eviction {

void PendingPods::put(const PodRef& pod, runtime::WallTime due, std::vector<RuleId> rules) {
  const auto [entry, is_new] = pods_.try_emplace(pod.uid);
  PendingPod& pending = entry->second;
  if (!is_new && pending.due == due && pending.rules == rules) return;
  if (is_new) {
    pending.pod = pod;
    pending.sequence = ++last_sequence_;
  } else {
    uncount(pending);
  }
  pending.rules = std::move(rules);
  count(pending);
  if (!is_new && pending.due == due) return;
  heap_.erase(pending);
  pending.due = due;
  heap_.push(pending);
}

bool PendingPods::erase(const api::Uid& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return false;
  uncount(found->second);
  if (found->second.failures > 0) given_up_.push_back(found->second.pod);
  if (found->second.failures > kFailuresOfBadLuck) --stuck_;
  heap_.erase(found->second);
  pods_.erase(found);
  return true;
}

void PendingPods::count_evicted(const std::vector<RuleId>& rules) {
  for (const RuleId rule : rules) {
    ++tallies_[rule].evicted;
    touch(rule);
  }
}

void PendingPods::count_failure(PendingPod& pod) {
  if (++pod.failures == kFailuresOfBadLuck + 1) ++stuck_;
}

void PendingPods::forget(RuleId rule) {
  const auto tally = tallies_.find(rule);
  if (tally == tallies_.end()) return;
  tally->second.is_forgotten = true;
  drop_if_empty(tally);
}

PendingPod* PendingPods::find(const api::Uid& uid) {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

const PendingPod* PendingPods::find(const api::Uid& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

RuleCounts PendingPods::counts(RuleId rule) const {
  const auto tally = tallies_.find(rule);
  if (tally == tallies_.end()) return {};
  return {tally->second.pending, tally->second.by_namespace.size(), tally->second.evicted};
}

std::optional<runtime::WallTime> PendingPods::next_due() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.top().due;
}

PendingPod* PendingPods::take_due(runtime::WallTime now) {
  if (heap_.empty() || heap_.top().due > now) return nullptr;
  PendingPod& first = heap_.top();
  heap_.erase(first);
  return &first;
}

void PendingPods::put_back(PendingPod& pod) {
  if (!DueHeap<PendingPod>::contains(pod)) heap_.push(pod);
}

std::vector<PodRef> PendingPods::take_given_up() {
  return std::exchange(given_up_, {});
}

std::vector<RuleId> PendingPods::take_touched() {
  std::vector<RuleId> touched(touched_.begin(), touched_.end());
  touched_.clear();
  return touched;
}

void PendingPods::count(const PendingPod& pod) {
  for (const RuleId rule : pod.rules) {
    Tally& tally = tallies_[rule];
    ++tally.pending;
    ++tally.by_namespace[pod.pod.key.namespace_];
    touch(rule);
  }
}

void PendingPods::uncount(const PendingPod& pod) {
  for (const RuleId rule : pod.rules) {
    const auto found = tallies_.find(rule);
    Tally& tally = found->second;
    --tally.pending;
    const auto name = tally.by_namespace.find(pod.pod.key.namespace_);
    if (--name->second == 0) tally.by_namespace.erase(name);
    touch(rule);
    drop_if_empty(found);
  }
}

void PendingPods::drop_if_empty(Tallies::iterator tally) {
  const Tally& it = tally->second;
  if (it.pending == 0 && (it.evicted == 0 || it.is_forgotten)) tallies_.erase(tally);
}

}  // namespace dcm::device_taint_eviction
