#include "controllers/device_taint_eviction/api/shadow_api.hpp"

#include <fmt/format.h>

#include "controllers/device_taint_eviction/rules/decide_due.hpp"

namespace dcm::device_taint_eviction {
namespace {

using common::Standing;
using State = Standing::State;

// Which of these two reasons it is depends on how many pods the writer itself has evicted.
std::string_view without_count(std::string_view reason) {
  return reason == "Completed" ? "NotStarted" : reason;
}

std::string describe(const std::optional<api::Condition>& condition) {
  if (!condition) return "no condition EvictionInProgress";
  return fmt::format("{}, {}, of generation {}: {}", condition->status, condition->reason,
                     condition->observed_generation, condition->message);
}

}  // namespace

Task<Result<api::Decoded<api::Pod>>> ShadowApi::mark(PodRef pod, Mark /*mark*/,
                                                     Priority /*priority*/) {
  expectations_.expect({.kind = kMark,
                        .object = pod.key.str(),
                        .subject = "mark " + pod.uid.str(),
                        .what = "condition DisruptionTarget"},
                       [this, pod] { return standing_of_mark(pod); });
  const PodPtr unchanged = tracker_().lookup().find_pod(pod.key);
  if (!unchanged) co_return common::not_written();
  // Reported as done, so that the DELETE is decided too.
  co_return api::Decoded<api::Pod>{unchanged->meta, unchanged};
}

Task<Result<>> ShadowApi::write(PodRef pod, PodWrite what, Priority /*priority*/) {
  expectations_.expect({.kind = std::holds_alternative<Remove>(what) ? kRemove : kEvict,
                        .object = pod.key.str(),
                        .subject = "evict " + pod.uid.str(),
                        .what = "evict it because of a device taint"},
                       [this, pod] { return standing_of_eviction(pod); });
  co_return common::not_written();
}

Standing ShadowApi::standing_of_mark(const PodRef& pod) const {
  Standing standing = standing_of_eviction(pod);
  if (standing.state != State::not_reached) return standing;
  const PodPtr cached = tracker_().lookup().find_pod(pod.key);
  if (cached->disruption_target == api::DisruptionTarget::by_device_taint) {
    return {State::reached, {}};
  }
  return common::not_reached("the pod has no such condition");
}

Standing ShadowApi::standing_of_eviction(const PodRef& pod) const {
  const PodPtr cached = tracker_().lookup().find_pod(pod.key);
  const bool is_there = cached && cached->meta.uid == pod.uid && common::is_active(*cached);
  if (!is_there) return {State::reached, {}};
  if (tracker_().pending().find(pod.uid) == nullptr) return {State::moot, {}};
  return common::not_reached("the pod is there");
}

Task<Result<RulePtr>> ShadowApi::write_condition(RulePtr rule, api::Condition condition,
                                                 Priority /*priority*/) {
  expectations_.expect(
      {.kind = kCondition,
       .object = rule->meta.key.name.str(),
       .subject = "condition " + rule->meta.uid.str(),
       .what = fmt::format("{}, of generation {}", condition.reason, rule->generation)},
      [this, rule, condition] { return standing_of_condition(rule, condition); });
  co_return common::not_written();
}

Standing ShadowApi::standing_of_condition(const RulePtr& rule,
                                          const api::Condition& condition) const {
  const Rule* found = tracker_().rules().find(rule->meta.key.name);
  const bool is_same = found != nullptr && found->object->meta.uid == rule->meta.uid &&
                       found->object->generation == rule->generation;
  if (!is_same) return {State::moot, {}};
  const auto& now = found->object->condition;
  const bool says_so = now && now->observed_generation == rule->generation &&
                       now->status == condition.status &&
                       without_count(now->reason) == without_count(condition.reason);
  if (says_so) return {State::reached, {}};
  return {State::not_reached, [condition = now] { return describe(condition); }};
}

}  // namespace dcm::device_taint_eviction
