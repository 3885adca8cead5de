#include "controllers/device_taint_eviction/rules/decide_due.hpp"

#include <algorithm>

namespace dcm::device_taint_eviction {

std::string Reason::str() const {
  if (source == Source::rule) return "rule " + rule;
  return device.str() + ", taint " + std::to_string(index);
}

Reason Charge::reason() const {
  if (rule != nullptr) return {Reason::Source::rule, rule->object->meta.key.name, {}, 0, rule->id};
  return {Reason::Source::driver, {}, device.id, taint.index, {}};
}

bool can_be_evicted(const api::Pod& pod) {
  return !pod.meta.is_being_deleted && !common::is_done(pod);
}

Verdict decide_due(const api::Pod& pod, const Lookup& lookup, const Taints& taints) {
  if (pod.node_name.empty() || !can_be_evicted(pod)) return {};
  Verdict verdict;
  for_each_charge(pod, lookup, taints, [&](const Charge& charge) {
    if (!charge.due) return;
    verdict.due = std::min(verdict.due.value_or(*charge.due), *charge.due);
    verdict.reasons.push_back(charge.reason());
  });
  std::ranges::sort(verdict.reasons);
  const auto doubles = std::ranges::unique(verdict.reasons);
  verdict.reasons.erase(doubles.begin(), doubles.end());
  return verdict;
}

Judgement judge(const api::Pod& pod, const Lookup& lookup, const Taints& taints) {
  if (pod.node_name.empty() || !can_be_evicted(pod)) return {};
  Judgement result;
  result.steps += for_each_charge(pod, lookup, taints, [&](const Charge& charge) {
    ++result.steps;
    if (!charge.due) return;
    result.due = std::min(result.due.value_or(*charge.due), *charge.due);
    if (charge.rule != nullptr) result.rules.push_back(charge.rule->id);
  });
  std::ranges::sort(result.rules);
  const auto doubles = std::ranges::unique(result.rules);
  result.rules.erase(doubles.begin(), doubles.end());
  return result;
}

}  // namespace dcm::device_taint_eviction
