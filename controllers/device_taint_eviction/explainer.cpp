// What the controller says about the objects that concern it.
#include <algorithm>
#include <map>
#include <utility>

#include "controllers/api/resources.hpp"
#include "controllers/device_taint_eviction/controller.hpp"

namespace dcm::device_taint_eviction {
namespace {

// How many devices are searched when a standby explains a rule: about 10 ms.
constexpr std::size_t kLookMax = 10'000;

// Between its attempts, a pod waits in the schedule of evictions, not in the queue.
void explain_wait(const PendingPod& pending, workqueue::ItemReport& report, common::Topic& topic) {
  using enum PendingPod::Waits;
  report.failures = pending.failures;
  if (pending.waits != for_budget && pending.waits != after_failure) return;
  report.state = workqueue::ItemState::delayed;
  report.due = pending.not_before;
  if (pending.waits != for_budget) return;
  topic.add(common::Outlook::waiting, "HeldByBudget",
            "A PodDisruptionBudget does not let it go yet; that is asked again every few seconds.");
}

}  // namespace

std::vector<common::Topic> Controller::explain_pod(const PodPtr& pod) const {
  const EvictionSnapshot snapshot{
      .pod = pod, .uid = pod->meta.uid, .due = {}, .now = time_.wall_now(), .mode = options_.mode};
  const Evicted evicted = tracker_.was_evicted(snapshot.uid) ? Evicted::yes : Evicted::no;
  std::vector topics{
      device_taint_eviction::explain_pod(snapshot, lookup_, tracker_.taints(), evicted)};
  const Item item = Item::pod({pod->meta.key, snapshot.uid});
  workqueue::ItemReport report = queue_.report(item);
  const PendingPod* const pending = pending_.find(snapshot.uid);
  if (pending != nullptr) explain_wait(*pending, report, topics.front());
  explain_work(item, report, topics);
  return topics;
}

std::vector<common::Topic> Controller::explain_taints_of(const ClaimPtr& claim) const {
  return {device_taint_eviction::explain_taints_of(claim, tracker_.taints(), time_.wall_now())};
}

std::vector<common::Topic> Controller::explain_rule(const Rule& rule) const {
  RuleFacts facts(*rule.object, time_.wall_now());
  if (has_usable_selector(facts.rule)) {
    facts.published_devices = tracker_.published().count(*facts.rule.selector);
  }
  if (is_working_) {
    list_pending(rule, facts);
    if (rule_status_ == RuleStatus::served) facts.wanted = conditions_.wanted(rule);
    if (tracker_.is_looking_for(rule.object->meta.key.name.str())) {
      facts.walk = RuleFacts::Walk::under_way;
    }
  } else {
    look_for_pods(rule, facts);
  }
  auto topics = device_taint_eviction::explain_rule(std::move(facts));
  const Item item = Item::rule(*rule.object);
  explain_work(item, queue_.report(item), topics);
  return topics;
}

void Controller::list_pending(const Rule& rule, RuleFacts& facts) const {
  pending_.for_each([&](const PendingPod& pod) {
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
    const Verdict verdict = decide_due(*pod, lookup_, tracker_.taints());
    if (std::ranges::binary_search(verdict.rules, rule.id))
      found.emplace(pod->meta.key, *verdict.due);
  };
  ClaimPtr last;  // devices of one claim are usually neighbours
  const auto look = [&](const AllocatedDevices::Use& use) -> std::size_t {
    if (use.claim != last) for_each_consumer(*use.claim, lookup_, judge);
    last = use.claim;
    return 0;
  };
  if (walk.advance(tracker_.allocated(), kLookMax, look).has_more)
    facts.look = RuleFacts::Look::cut_short;
  for (const auto& [key, due] : found) facts.pods.push_back({key, due});
}

void Controller::explain_work(const Item& item, workqueue::ItemReport report,
                              std::vector<common::Topic>& topics) const {
  const workqueue::Now now{time_.now(), time_.wall_now()};
  common::add_work(describe(problems_.find(item), now), describe(report, now), topics);
}

common::Explainer explainer_of(const Controller& controller) {
  const auto explain_rule = [&controller](const api::ResourceKind& kind,
                                          const api::NamespacedName& key) {
    const Rule* rule =
        &kind == &api::kDeviceTaintRules ? controller.find_rule(key.name.str()) : nullptr;
    if (rule == nullptr) return std::optional<common::Draft>();
    const api::ObjectMeta& meta = rule->object->meta;
    return std::optional(common::draft_about(kind, meta,
                                             meta.is_being_deleted ? "being deleted" : "in force",
                                             controller.explain_rule(*rule)));
  };
  return {
      .pod = [&controller](const PodPtr& pod) { return controller.explain_pod(pod); },
      .claim = [&controller](const ClaimPtr& claim) { return controller.explain_taints_of(claim); },
      .other = explain_rule};
}

}  // namespace dcm::device_taint_eviction
