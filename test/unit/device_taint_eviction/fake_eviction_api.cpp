#include "test/unit/device_taint_eviction/fake_eviction_api.hpp"

#include <utility>

namespace dcm::device_taint_eviction {
namespace {

using runtime::Reason;

// The server keeps whole seconds.
runtime::WallTime whole_seconds(runtime::WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

}  // namespace

void FakeEvictionApi::put(const RulePtr& rule) {
  api::DeviceTaintRule fresh = *rule;
  const auto found = rules.find(rule->meta.key);
  if (found != rules.end()) fresh.condition = found->second->condition;
  put_in(rules, RulePtr(std::move(fresh)));
}

Result<PodPtr> FakeEvictionApi::find(const PodRef& pod) const {
  const auto found = pods.find(pod.key);
  if (found == pods.end()) return runtime::fail(Reason::object_not_found, "no such pod");
  if (found->second->meta.uid != pod.uid) {
    return runtime::fail(Reason::another_object, "another pod");
  }
  return found->second;
}

Task<Result<api::Decoded<api::Pod>>> FakeEvictionApi::mark(PodRef pod, Mark mark,
                                                           Priority priority) {
  const bool is_new = mark.transition == api::TransitionTime::now;
  return call<api::Decoded<api::Pod>>(
      (is_new ? "mark " : "mark, since it was True, ") + pod.key.name, priority,
      [this, pod] { return apply_mark(pod); });
}

Task<Result<>> FakeEvictionApi::write(PodRef pod, PodWrite what, Priority priority) {
  const char* verb = std::holds_alternative<Remove>(what) ? "remove " : "evict ";
  return call<void>(verb + pod.key.name, priority, [this, pod, what] {
    return std::visit([&](const auto& write) { return carry_out(pod, write); }, what);
  });
}

Result<api::Decoded<api::Pod>> FakeEvictionApi::apply_mark(const PodRef& pod) {
  const Result<PodPtr> found = find(pod);
  if (!found) return runtime::fail(found.error());
  api::Pod marked = **found;
  marked.disruption_target = api::DisruptionTarget::by_device_taint;
  const PodPtr stored = store(pods, PodPtr(std::move(marked)), api::ChangeType::modified);
  return api::Decoded<api::Pod>{stored->meta, stored};
}

Result<> FakeEvictionApi::carry_out(const PodRef& pod, Remove) {
  const Result<PodPtr> found = find(pod);
  if (!found) return runtime::fail(found.error());
  if ((*found)->meta.is_being_deleted) return {};
  ++deletions[pod.uid.str()];
  api::Pod going = **found;
  going.meta.is_being_deleted = true;
  store(pods, PodPtr(std::move(going)), api::ChangeType::modified);
  return {};
}

Result<> FakeEvictionApi::carry_out(const PodRef& pod, Evict) {
  if (protected_pods.contains(pod.key.name.str())) {
    return runtime::fail(
        {Reason::disruption_budget, "violates the pod's disruption budget", 429, {}});
  }
  return carry_out(pod, Remove());
}

Task<Result<RulePtr>> FakeEvictionApi::write_condition(RulePtr rule, api::Condition condition,
                                                       Priority priority) {
  return call<RulePtr>(rule->meta.key.name + ": " + condition.status + ' ' + condition.reason +
                           ": " + condition.message,
                       priority, [=, this] { return apply_condition(rule, condition); });
}

Result<RulePtr> FakeEvictionApi::apply_condition(const RulePtr& rule,
                                                 const api::Condition& condition) {
  const auto found = rules.find(rule->meta.key);
  if (found == rules.end()) return runtime::fail(Reason::object_not_found, "no such rule");
  if (found->second->meta.uid != rule->meta.uid) {
    return runtime::fail(Reason::another_object, "another rule");
  }
  api::DeviceTaintRule written = *found->second;
  written.condition = condition;
  written.condition->last_transition_time = whole_seconds(condition.last_transition_time);
  return store(rules, RulePtr(std::move(written)), api::ChangeType::modified);
}

}  // namespace dcm::device_taint_eviction
