#include "controllers/device_taint_eviction/tracker.hpp"

#include <algorithm>
#include <utility>

#include "controllers/common/pod_claims.hpp"

namespace dcm::device_taint_eviction {
namespace {

// Whether a change of a pod can change when it must be evicted. Changes of its claims are handled
// separately.
bool is_of_consequence(const api::Pod& before, const api::Pod& after) {
  return before.node_name != after.node_name || before.claim_statuses != after.claim_statuses ||
         before.extended_resource_claim != after.extended_resource_claim ||
         common::is_active(before) != common::is_active(after);
}

// Whether a change of a claim cannot change when its pods must be evicted.
bool concerns_no_pod(const api::ResourceClaim& before, const api::ResourceClaim& after) {
  return before.meta.uid == after.meta.uid && before.is_allocated == after.is_allocated &&
         before.pod_claim_name == after.pod_claim_name &&
         before.is_extended_resource_claim == after.is_extended_resource_claim &&
         before.controller == after.controller && before.reserved_for == after.reserved_for &&
         before.devices == after.devices;
}

bool is_news_for_condition(const RulePtr& before, const api::DeviceTaintRule& after) {
  return !before || before->generation != after.generation || before->condition != after.condition;
}

// A walk pauses while so many of the pods that it has found wait for judgement.
constexpr std::size_t kFoundMax = 2'000;

}  // namespace

void Tracker::observe_pod(const PodPtr& before, const PodPtr& after) {
  // A restore of etcd can take back an eviction.
  if (before && after && before->meta.is_being_deleted && !after->meta.is_being_deleted) {
    evicted_.erase(after->meta.uid);
  }
  // A pod has gone or started: this may give a budget room.
  if (before && (!after || before->phase != after->phase)) {
    pending_.stir(before->meta.key.namespace_);
  }
  if (!after) return forget(*before);
  if (is_started_ && (!before || is_of_consequence(*before, *after))) judge(after);
}

void Tracker::forget(const api::Pod& pod) {
  if (auto pending = pending_.erase(pod.meta.uid)) {
    released_.push_back({pending->pod, Released::Why::goes, std::move(pending->unanswered)});
  }
  evicted_.erase(pod.meta.uid);
}

void Tracker::observe_claim(const ClaimPtr& before, const ClaimPtr& after) {
  allocated_.replace(before, after);
  if (!is_started_ || (before && after && concerns_no_pod(*before, *after))) return;
  for (const ClaimPtr* claim : {&before, &after}) {
    if (!*claim || !(*claim)->is_allocated) continue;
    // A claim without taints never evicts a pod that may stay. A pod may have thousands of claims,
    // each allocated by a separate change.
    const bool may_evict = has_charge(*claim, taints());
    for_each_consumer(**claim, lookup_, [&](const PodPtr& pod) {
      if (may_evict || pending_.find(pod->meta.uid) != nullptr) urgent_.add(*pod);
    });
  }
}

void Tracker::observe_slice(const SlicePtr& before, const SlicePtr& after) {
  for (const api::DeviceSelector& changed : published_.replace(before, after)) {
    if (!is_started_) continue;
    const api::DeviceId device{changed.driver, changed.pool, changed.device};
    if (device.device.empty() || allocated_.has_many_uses(device)) {
      walk_for(changed);
      continue;
    }
    allocated_.for_each_use(device, [this](const AllocatedDevices::Use& use) {
      for_each_consumer(*use.claim, lookup_, [this](const PodPtr& pod) { urgent_.add(*pod); });
    });
  }
}

void Tracker::observe_rule(const RulePtr& before, const RulePtr& after) {
  const std::string name = (after ? after : before)->meta.key.name.str();
  if (after) {
    rules_.put(after);
  } else {
    rules_.erase(name);
  }
  if (!is_started_) return;

  std::vector<api::DeviceSelector> selectors;
  if (!before || !after || !taints_alike(*before, *after)) {
    if (before && evicts(*before)) selectors.push_back(*before->selector);
    if (after && evicts(*after)) selectors.push_back(*after->selector);
    if (selectors.size() == 2 && selectors[0] == selectors[1]) selectors.pop_back();
  }
  for (const api::DeviceSelector& selector : selectors) await(walk_for(selector), name);
  if (after && selectors.empty() && is_news_for_condition(before, *after)) touched_.insert(name);
}

// A walk that has not started yet will see the change as well, so that a flapping rule causes no
// second walk.
Tracker::WalkFor& Tracker::walk_for(const api::DeviceSelector& selector) {
  const auto walk = std::ranges::find_if(walks_, [&](const WalkFor& each) {
    return !each.walk.has_begun() && each.walk.selector() == selector;
  });
  if (walk != walks_.end()) return *walk;
  return walks_.emplace_back(WalkFor{.walk = AllocatedDevices::Walk(selector)});
}

void Tracker::await(WalkFor& walk, const std::string& rule) {
  if (walk.rules.insert(rule).second) looked_for_.insert(rule);
}

void Tracker::start() {
  is_started_ = true;
  WalkFor& walk = walk_for({});
  rules_.for_each([&](const Rule& rule) { await(walk, rule.object->meta.key.name.str()); });
}

void Tracker::advance(std::size_t limit) {
  // A flood of changed claims must not stop the walks.
  std::size_t steps = judge_urgent(limit - limit / 4);
  if (steps < limit) steps += pending_.advance(limit - steps);
  if (steps < limit && !walks_.empty() && found_.size() < kFoundMax) {
    const std::size_t rest = limit - steps;
    steps += advance_walk(found_.empty() ? rest : rest / 2);
  }
  conclude_found();
  while (steps < limit && !found_.empty()) {
    steps += judge_next(found_, PendingPod::Waits::for_walk);
    conclude_found();  // before a pod of the next walk is judged
  }
  if (steps < limit) judge_urgent(limit - steps);
}

std::size_t Tracker::judge_urgent(std::size_t limit) {
  std::size_t steps = 0;
  while (steps < limit && !urgent_.empty()) {
    steps += judge_next(urgent_, PendingPod::Waits::until_due);
  }
  return steps;
}

// Finds pods. Takes at least one step, so that each walk ends.
std::size_t Tracker::advance_walk(std::size_t limit) {
  WalkFor& front = walks_.front();
  // Devices of one claim are usually neighbours.
  ClaimPtr last;
  const auto find_pods = [&](const AllocatedDevices::Use& use) -> std::size_t {
    if (use.claim == last) return 0;
    last = use.claim;
    return for_each_consumer(*last, lookup_, [this](const PodPtr& pod) { found_.add(*pod); });
  };
  const auto [has_more, steps] =
      front.walk.advance(allocated_, std::max<std::size_t>(limit, 1), find_pods);
  if (has_more) return steps;
  found_for_.push_back({found_.added(), std::move(front.rules)});
  walks_.pop_front();
  return steps;
}

// Once all pods of a walk are judged, they may be evicted. The conditions of its rules are updated:
// they first say how many pods will be evicted.
void Tracker::conclude_found() {
  while (!found_for_.empty() && found_for_.front().found <= found_.taken()) {
    for (const std::string& rule : found_for_.front().rules) {
      looked_for_.erase(looked_for_.find(rule));
      touched_.insert(rule);
    }
    found_for_.pop_front();
    pending_.end_walk();
  }
}

std::size_t Tracker::judge_next(DirtyPods& pods, PendingPod::Waits first) {
  const PodRef pod = *pods.take();
  const PodPtr cached = lookup_.find_pod(pod.key);
  return cached && cached->meta.uid == pod.uid ? judge(cached, first) : 1;
}

// Returns the number of steps taken.
std::size_t Tracker::judge(const PodPtr& pod, PendingPod::Waits first) {
  Verdict verdict = decide_due(*pod, lookup_, taints());
  if (!verdict.due) {
    release(*pod);
  } else if (!evicted_.contains(pod->meta.uid)) {
    pending_.put({pod->meta.key, pod->meta.uid}, *verdict.due, std::move(verdict.rules), first);
  }
  return verdict.steps;
}

void Tracker::release(const api::Pod& pod) {
  auto pending = pending_.erase(pod.meta.uid);
  if (!pending) return;
  const auto why = common::is_active(pod) ? Released::Why::may_stay : Released::Why::goes;
  // A pod that has finished was not evicted.
  if (!pod.meta.is_being_deleted) pending->unanswered.reset();
  released_.push_back({pending->pod, why, std::move(pending->unanswered)});
}

PendingPod* Tracker::judge_again(const PodRef& pod) {
  const PodPtr cached = lookup_.find_pod(pod.key);
  if (!cached || cached->meta.uid != pod.uid) return nullptr;
  judge(cached);
  return pending_.find(pod.uid);
}

void Tracker::record_evicted(const PodRef& pod, const std::vector<RuleId>& rules,
                             runtime::MonoTime now) {
  pending_.count_evicted(rules);
  pending_.erase(pod.uid);
  const PodPtr cached = lookup_.find_pod(pod.key);
  if (!cached || cached->meta.uid != pod.uid) return;
  evicted_.insert(pod.uid);
  accepted_.push_back({pod, now});
}

// A restore of etcd can take back an eviction that the watch has never shown.
void Tracker::recheck_evictions(runtime::MonoTime now) {
  for (; !accepted_.empty() && *next_recheck() <= now; accepted_.pop_front()) {
    const PodRef& pod = accepted_.front().pod;
    const PodPtr cached = lookup_.find_pod(pod.key);
    if (!cached || cached->meta.uid != pod.uid || !common::is_active(*cached)) continue;
    if (evicted_.erase(pod.uid)) urgent_.add(*cached);
  }
}

std::optional<runtime::MonoTime> Tracker::next_recheck() const {
  if (accepted_.empty()) return std::nullopt;
  return accepted_.front().at + kShownWithin;
}

std::vector<std::string> Tracker::take_touched_rules() {
  for (const RuleId id : pending_.take_touched()) {
    if (const Rule* rule = rules_.find(id)) touched_.insert(rule->object->meta.key.name.str());
  }
  std::vector<std::string> names;
  for (const std::string& name : std::exchange(touched_, {})) {
    if (rules_.find(name) != nullptr && !looked_for_.contains(name)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace dcm::device_taint_eviction
