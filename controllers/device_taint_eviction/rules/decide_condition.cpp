#include "controllers/device_taint_eviction/rules/decide_condition.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace dcm::device_taint_eviction {
namespace {

using api::ConditionStatus;
using api::TaintEffect;

// "1 pod needs", "2 pods need"
std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

std::string in_namespaces(std::size_t count) {
  return "in " + counted(count, "namespace", "different namespaces");
}

std::string with_suffix(std::string message, std::size_t evicted) {
  if (evicted == 0) return message;
  if (!message.empty()) message += ' ';
  return message + counted(evicted, "pod evicted", "pods evicted") +
         " since starting the controller.";
}

api::EvictionCondition of_evicting_rule(const RuleCounts& counts) {
  if (counts.pending > 0) {
    return {
        ConditionStatus::is_true,
        "PodsPendingEviction",
        fmt::format("{} {}.",
                    counted(counts.pending, "pod needs to be evicted", "pods need to be evicted"),
                    in_namespaces(counts.namespaces)),
        0,
        {}};
  }
  return {ConditionStatus::is_false, counts.evicted > 0 ? "Completed" : "NotStarted", "", 0, {}};
}

api::EvictionCondition before_suffix(TaintEffect effect, const RuleCounts& counts,
                                     const std::string& preview) {
  switch (effect) {
    case TaintEffect::no_execute:
      return of_evicting_rule(counts);
    case TaintEffect::none:
      return {ConditionStatus::is_false, "NoEffect", preview, 0, {}};
    case TaintEffect::no_schedule:
    case TaintEffect::other:
      break;
  }
  return {ConditionStatus::is_false,
          "OtherEffect",
          "Eviction only happens for the NoExecute effect.",
          0,
          {}};
}

bool says_the_same(const api::EvictionCondition& a, const api::EvictionCondition& b) {
  return a.status == b.status && a.reason == b.reason && a.message == b.message;
}

}  // namespace

std::string describe(const Preview& preview) {
  return fmt::format(
      "{} selected. {} selected. {} would be evicted {} if the effect was NoExecute. This "
      "information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
      counted(preview.published_devices, "published device", "published devices"),
      counted(preview.allocated_devices, "allocated device", "allocated devices"),
      counted(preview.pods, "pod", "pods"), in_namespaces(preview.namespaces));
}

api::EvictionCondition decide_condition(TaintEffect effect, const RuleCounts& counts,
                                        const std::string& preview) {
  api::EvictionCondition condition = before_suffix(effect, counts, preview);
  condition.message = with_suffix(std::move(condition.message), counts.evicted);
  return condition;
}

ConditionPlan decide_write(const api::DeviceTaintRule& rule, api::EvictionCondition wanted,
                           runtime::WallTime now) {
  wanted.observed_generation = rule.generation;
  wanted.last_transition = now;
  if (!rule.condition || rule.condition->observed_generation != rule.generation) {
    return WriteCondition{std::move(wanted)};
  }
  if (says_the_same(*rule.condition, wanted)) return NoWrite{};
  const runtime::WallTime last = rule.condition->last_transition;
  // A clock that was ahead of ours (another instance's) must not delay us.
  const bool is_over = last > now || last <= now - kConditionInterval;
  if (!is_over) return WriteLater{last + kConditionInterval - now};
  return WriteCondition{std::move(wanted)};
}

}  // namespace dcm::device_taint_eviction
