#include "controllers/device_taint_eviction/tracker/tracker.hpp"

#include <algorithm>
#include <utility>

#include "controllers/common/pod_claims.hpp"

namespace dcm::device_taint_eviction {
namespace {

PodRef ref_to(const api::Pod& pod) {
  return {pod.meta.key, pod.meta.uid};
}

// Whether a change of a pod can change when it must go. What its claims say comes with them.
bool is_of_consequence(const api::Pod& before, const api::Pod& after) {
  return before.node_name != after.node_name || before.claim_statuses != after.claim_statuses ||
         before.extended_resource_claim != after.extended_resource_claim ||
         can_be_evicted(before) != can_be_evicted(after);
}

api::DeviceSelector exactly(const api::DeviceId& device) {
  return {device.driver, device.pool, device.device};
}

bool is_news_for_condition(const RulePtr& before, const api::DeviceTaintRule& after) {
  return !before || before->generation != after.generation || before->condition != after.condition;
}

std::vector<RuleId> rules_of(const Verdict& verdict) {
  std::vector<RuleId> rules;
  for (const Reason& reason : verdict.reasons) {
    if (reason.source == Reason::Source::rule) rules.push_back(reason.id);
  }
  std::ranges::sort(rules);
  return rules;
}

}  // namespace

void Tracker::observe_pod(const PodPtr& before, const PodPtr& after) {
  // One pod fewer, or one more that is up: what a budget waits for.
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
  if (!is_started_) return;
  for (const ClaimPtr* claim : {&before, &after}) {
    if (*claim && (*claim)->is_allocated) judge_consumers(*claim);
  }
}

void Tracker::observe_slice(const SlicePtr& before, const SlicePtr& after) {
  for (const api::DeviceId& device : published_.replace(before, after)) {
    if (is_started_) walks_.push_back({AllocatedDevices::Walk(exactly(device)), {}});
  }
}

void Tracker::observe_rule(const RulePtr& before, const RulePtr& after) {
  const std::string& name = (after ? after : before)->meta.key.name;
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
  for (const api::DeviceSelector& selector : selectors) {
    walks_.push_back({AllocatedDevices::Walk(selector), {}});
  }
  if (!after) return;
  if (!selectors.empty()) {
    walks_.back().rule = name;
    walked_for_.insert(name);
  } else if (is_news_for_condition(before, *after)) {
    touched_.insert(name);
  }
}

void Tracker::start() {
  is_started_ = true;
  walks_.push_back({AllocatedDevices::Walk(api::DeviceSelector{}), {}});
  rules_.for_each([&](const Rule& rule) { touched_.insert(rule.object->meta.key.name); });
}

bool Tracker::advance_walk(std::size_t limit) {
  WalkFor& front = walks_.front();
  // Devices of one claim are neighbours mostly.
  ClaimPtr last;
  const bool has_more = front.walk.advance(
      allocated_, limit, [&](const api::DeviceId&, const std::vector<AllocatedDevices::Use>& uses) {
        for (const AllocatedDevices::Use& use : uses) {
          if (use.claim != last) judge_consumers(use.claim);
          last = use.claim;
        }
      });
  if (has_more) return false;
  if (!front.rule.empty()) {
    walked_for_.erase(walked_for_.find(front.rule));
    touched_.insert(front.rule);
  }
  walks_.pop_front();
  return true;
}

void Tracker::judge_consumers(const ClaimPtr& claim) {
  for_each_consumer(*claim, lookup_, [this](const PodPtr& pod) { judge(pod); });
}

Verdict Tracker::verdict(const api::Pod& pod) const {
  return decide_due(pod, lookup_, {published_, rules_});
}

void Tracker::judge(const PodPtr& pod) {
  const Verdict result = verdict(*pod);
  if (result.due) {
    if (!evicted_.contains(pod->meta.uid)) {
      pending_.put(ref_to(*pod), *result.due, rules_of(result));
    }
  } else {
    release(*pod);
  }
}

void Tracker::release(const api::Pod& pod) {
  auto pending = pending_.erase(pod.meta.uid);
  if (!pending) return;
  const auto why = can_be_evicted(pod) ? Released::Why::may_stay : Released::Why::goes;
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

void Tracker::record_evicted(const PodRef& pod, const std::vector<RuleId>& rules) {
  pending_.count_evicted(rules);
  pending_.erase(pod.uid);
  const PodPtr cached = lookup_.find_pod(pod.key);
  if (cached && cached->meta.uid == pod.uid) evicted_.insert(pod.uid);
}

std::vector<std::string> Tracker::take_touched_rules() {
  for (const RuleId id : pending_.take_touched()) {
    if (const Rule* rule = rules_.find(id)) touched_.insert(rule->object->meta.key.name);
  }
  std::vector<std::string> names;
  for (const std::string& name : std::exchange(touched_, {})) {
    if (rules_.find(name) != nullptr && !walked_for_.contains(name)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace dcm::device_taint_eviction
