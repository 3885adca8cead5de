#include "test/unit/device_taint_eviction/fake_eviction_api.hpp"

#include <algorithm>
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
  auto fresh = std::const_pointer_cast<api::DeviceTaintRule>(rule);
  const auto found = rules.find(rule->meta.key);
  if (found != rules.end()) fresh->condition = found->second->condition;
  put_in(rules, RulePtr(fresh));
}

// A call is on its way until the fault that it meets is known.
Task<Fault> FakeEvictionApi::begin(std::string text, Priority priority) {
  const std::size_t number = calls.size();
  calls.push_back(text);
  priorities.push_back(priority);
  struct InFlight {
    explicit InFlight(std::size_t& count) : count_(count) { ++count_; }
    ~InFlight() { --count_; }
    std::size_t& count_;
  } in_flight(in_flight_);
  in_flight_max = std::max(in_flight_max, in_flight_);
  const Fault result = fault(number, text);
  co_await runtime::sleep_for(time_, latency);
  co_return result;
}

Result<PodPtr> FakeEvictionApi::find(const PodRef& pod, Reason another) const {
  const auto found = pods.find(pod.key);
  if (found == pods.end()) return runtime::fail(Reason::object_not_found, "no such pod");
  if (found->second->meta.uid != pod.uid) return runtime::fail(another, "another pod");
  return found->second;
}

Task<Result<>> FakeEvictionApi::mark(PodRef pod, runtime::WallTime /*now*/,
                                     api::TransitionTime transition, Priority priority) {
  const Fault met = co_await begin("mark " + pod.key.name, priority);
  if (met.kind == Fault::Kind::refused) co_return runtime::fail(met.error);
  const Result<> result = apply_mark(pod, transition);
  if (met.kind == Fault::Kind::lost) co_return runtime::fail(met.error);
  co_return result;
}

Result<> FakeEvictionApi::apply_mark(const PodRef& pod, api::TransitionTime /*transition*/) {
  const Result<PodPtr> found = find(pod, Reason::another_object);
  if (!found) return runtime::fail(found.error());
  auto marked = std::make_shared<api::Pod>(**found);
  marked->disruption_target = api::DisruptionTarget::by_device_taint;
  store(pods, std::move(marked), api::ChangeType::modified);
  return {};
}

Task<Result<>> FakeEvictionApi::remove(PodRef pod, Priority priority) {
  const Fault met = co_await begin("remove " + pod.key.name, priority);
  if (met.kind == Fault::Kind::refused) co_return runtime::fail(met.error);
  const Result<> result = apply_remove(pod);
  if (met.kind == Fault::Kind::lost) co_return runtime::fail(met.error);
  co_return result;
}

Result<> FakeEvictionApi::apply_remove(const PodRef& pod) {
  const Result<PodPtr> found = find(pod, Reason::conflict);
  if (!found) return runtime::fail(found.error());
  if ((*found)->meta.is_being_deleted) return {};
  ++deletions[pod.uid.str()];
  auto going = std::make_shared<api::Pod>(**found);
  going->meta.is_being_deleted = true;
  store(pods, std::move(going), api::ChangeType::modified);
  return {};
}

Task<Result<>> FakeEvictionApi::evict(PodRef pod, Priority priority) {
  const Fault met = co_await begin("evict " + pod.key.name, priority);
  if (met.kind == Fault::Kind::refused) co_return runtime::fail(met.error);
  if (protected_pods.contains(pod.key.name)) {
    co_return runtime::fail(
        {Reason::too_many_requests, "violates the pod's disruption budget", 429, {}});
  }
  const Result<> result = apply_remove(pod);
  if (met.kind == Fault::Kind::lost) co_return runtime::fail(met.error);
  co_return result;
}

Task<Result<RulePtr>> FakeEvictionApi::write_condition(RulePtr rule,
                                                       api::EvictionCondition condition,
                                                       Priority priority) {
  const bool is_true = condition.status == api::ConditionStatus::is_true;
  const Fault met = co_await begin(rule->meta.key.name + (is_true ? ": True " : ": False ") +
                                       condition.reason + ": " + condition.message,
                                   priority);
  if (met.kind == Fault::Kind::refused) co_return runtime::fail(met.error);
  const Result<RulePtr> result = apply_condition(rule, condition);
  if (met.kind == Fault::Kind::lost) co_return runtime::fail(met.error);
  co_return result;
}

Result<RulePtr> FakeEvictionApi::apply_condition(const RulePtr& rule,
                                                 const api::EvictionCondition& condition) {
  const auto found = rules.find(rule->meta.key);
  if (found == rules.end()) return runtime::fail(Reason::object_not_found, "no such rule");
  if (found->second->meta.uid != rule->meta.uid) {
    return runtime::fail(Reason::another_object, "another rule");
  }
  auto written = std::make_shared<api::DeviceTaintRule>(*found->second);
  written->condition = condition;
  written->condition->last_transition = whole_seconds(condition.last_transition);
  return store(rules, std::move(written), api::ChangeType::modified);
}

}  // namespace dcm::device_taint_eviction
