// The controller's explanations of objects: passes its caches and its queue to explain.hpp.
#include <algorithm>
#include <map>
#include <utility>

#include "controllers/device_taint_eviction/controller.hpp"

namespace dcm::device_taint_eviction {
namespace {

// Devices that are looked through for who asks about a rule on standby: some 10 ms.
constexpr std::size_t kLookMax = 10'000;

}  // namespace

RulePtr Controller::find_rule(const std::string& name) const {
  const Rule* rule = tracker_.rules().find(name);
  return rule == nullptr ? nullptr : rule->object;
}

common::Topic Controller::explain_pod(const PodPtr& pod) const {
  EvictionSnapshot snapshot;
  snapshot.pod = pod;
  snapshot.uid = pod->meta.uid;
  snapshot.now = time_.wall_now();
  snapshot.mode = options_.mode;
  const PendingPod* pending = tracker_.pending().find(pod->meta.uid);
  common::Topic topic = device_taint_eviction::explain_pod(
      snapshot, lookup_, {tracker_.published(), tracker_.rules()},
      tracker_.was_evicted(pod->meta.uid) ? Evicted::yes : Evicted::no);
  const Item item = Item::pod({pod->meta.key, pod->meta.uid});
  workqueue::ItemReport report = queue_.report(item);
  if (pending != nullptr) {
    using enum PendingPod::Waits;
    report.failures = pending->failures;
    if (pending->waits == for_budget) {
      topic.add(
          common::Outlook::waiting, "HeldByBudget",
          "A PodDisruptionBudget does not let it go yet; that is asked again every few seconds.");
    }
    if (pending->waits == for_budget || pending->waits == after_failure) {
      report.state = workqueue::ItemState::delayed;
      report.due = pending->not_before;
    }
  }
  explain_work(item, report, topic);
  return topic;
}

common::Topic Controller::explain_taints_of(const api::ResourceClaim& claim) const {
  return device_taint_eviction::explain_taints_of(claim, {tracker_.published(), tracker_.rules()},
                                                  time_.wall_now());
}

std::vector<common::Topic> Controller::explain_rule(const std::string& name) const {
  const Rule& rule = *tracker_.rules().find(name);
  RuleFacts facts(*rule.object, time_.wall_now());
  if (has_usable_selector(facts.rule)) {
    facts.published_devices = tracker_.published().count(*facts.rule.selector);
  }
  if (is_working_) {
    list_pending(rule, facts);
    facts.wanted = conditions_.wanted(rule);
    if (tracker_.is_looking_for(name)) facts.walk = RuleFacts::Walk::under_way;
  } else {
    look_for_pods(rule, facts);
  }
  auto topics = device_taint_eviction::explain_rule(std::move(facts));
  explain_work(Item::rule(name), queue_.report(Item::rule(name)), topics.back());
  return topics;
}

void Controller::list_pending(const Rule& rule, RuleFacts& facts) const {
  tracker_.pending().for_each([&](const PendingPod& pod) {
    if (std::ranges::binary_search(pod.rules, rule.id)) {
      facts.pods.push_back({pod.pod.key, pod.due});
    }
  });
}

// On standby no pod is pending, so the devices are examined here.
void Controller::look_for_pods(const Rule& rule, RuleFacts& facts) const {
  if (!evicts(facts.rule)) return;
  AllocatedDevices::Walk walk(*facts.rule.selector);
  std::map<api::NamespacedName, WallTime> found;
  const auto judge = [&](const PodPtr& pod) {
    const Verdict verdict = tracker_.verdict(*pod);
    const bool is_of_rule = std::ranges::any_of(
        verdict.reasons, [&](const Reason& reason) { return reason.id == rule.id; });
    if (is_of_rule) found.emplace(pod->meta.key, *verdict.due);
  };
  const bool has_more =
      walk.advance(tracker_.allocated(), kLookMax, [&](const api::DeviceId&, const auto& uses) {
        for (const AllocatedDevices::Use& use : uses) for_each_consumer(*use.claim, lookup_, judge);
      });
  if (has_more) facts.look = RuleFacts::Look::cut_short;
  for (const auto& [key, due] : found) facts.pods.push_back({key, due});
}

void Controller::explain_work(const Item& item, workqueue::ItemReport report,
                              common::Topic& topic) const {
  const workqueue::Now now{time_.now(), time_.wall_now()};
  const workqueue::Problem* problem = problems_.find(item);
  if (problem != nullptr) {
    topic.add(common::Outlook::stuck, "LastProblem", describe(*problem, now));
  }
  if (report.state == workqueue::ItemState::idle) return;
  topic.add(common::Outlook::acting, "Queued", describe(report, now));
}

}  // namespace dcm::device_taint_eviction
