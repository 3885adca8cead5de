#include "controllers/device_taint_eviction/rules/decide_condition.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "controllers/common/explanation.hpp"

namespace dcm::device_taint_eviction {
namespace {

using api::TaintEffect;
using common::count;

std::string in_namespaces(std::size_t namespaces) {
  return "in " + count(namespaces, "namespace", "different namespaces");
}

std::string with_suffix(std::string message, std::size_t evicted) {
  if (evicted == 0) return message;
  if (!message.empty()) message += ' ';
  return message + count(evicted, "pod") + " evicted since starting the controller.";
}

api::Condition condition(std::string_view status, std::string_view reason, std::string message) {
  return {.type = std::string(api::kEvictionInProgress),
          .status = std::string(status),
          .reason = std::string(reason),
          .message = std::move(message)};
}

api::Condition of_evicting_rule(const RuleCounts& counts) {
  if (counts.pending == 0) {
    return condition("False", counts.evicted > 0 ? "Completed" : "NotStarted", "");
  }
  return condition(
      "True", "PodsPendingEviction",
      fmt::format("{} {}.",
                  count(counts.pending, "pod needs to be evicted", "pods need to be evicted"),
                  in_namespaces(counts.namespaces)));
}

api::Condition before_suffix(TaintEffect effect, const RuleCounts& counts,
                             const std::string& preview) {
  switch (effect) {
    case TaintEffect::no_execute:
      return of_evicting_rule(counts);
    case TaintEffect::none:
      return condition("False", "NoEffect", preview);
    case TaintEffect::no_schedule:
    case TaintEffect::other:
      break;
  }
  return condition("False", "OtherEffect", "Eviction only happens for the NoExecute effect.");
}

}  // namespace

std::string describe(const Preview& preview) {
  return fmt::format(
      "{} selected. {} selected. {} would be evicted {} if the effect was NoExecute. This "
      "information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
      count(preview.published_devices, "published device"),
      count(preview.allocated_devices, "allocated device"), count(preview.pods, "pod"),
      in_namespaces(preview.namespaces));
}

api::Condition decide_condition(TaintEffect effect, const RuleCounts& counts,
                                const std::string& preview) {
  api::Condition condition = before_suffix(effect, counts, preview);
  condition.message = with_suffix(std::move(condition.message), counts.evicted);
  return condition;
}

ConditionPlan decide_write(const api::DeviceTaintRule& rule, api::Condition wanted,
                           runtime::WallTime now) {
  wanted.observed_generation = rule.generation;
  wanted.last_transition_time = now;
  if (!rule.condition || rule.condition->observed_generation != rule.generation) {
    return WriteCondition{std::move(wanted)};
  }
  if (rule.condition->says_the_same(wanted)) return NoWrite{};
  const runtime::WallTime last = rule.condition->last_transition_time;
  // A clock that was ahead of ours (another instance's) must not delay us.
  const bool is_over = last > now || last <= now - kConditionInterval;
  if (!is_over) return WriteLater{last + kConditionInterval - now};
  return WriteCondition{std::move(wanted)};
}

}  // namespace dcm::device_taint_eviction
