#include "controllers/device_taint_eviction/rules/decide_due.hpp"

#include <algorithm>

namespace dcm::device_taint_eviction {
namespace {

bool may_have_to_go(const api::Pod& pod) {
  return !pod.node_name.empty() && common::is_active(pod);
}

template <class T>
void sort_unique(std::vector<T>& all) {
  std::ranges::sort(all);
  const auto doubles = std::ranges::unique(all);
  all.erase(doubles.begin(), doubles.end());
}

}  // namespace

std::string Reason::str() const {
  if (source == Source::rule) return "rule " + rule;
  return device.str() + ", taint " + std::to_string(index);
}

Reason Charge::reason() const {
  if (rule != nullptr) return {Reason::Source::rule, rule->object->meta.key.name.str(), {}, 0};
  return {Reason::Source::driver, {}, device.id, taint.index};
}

bool has_charge(const ClaimPtr& claim, const Taints& taints) {
  bool found = false;
  for_each_charge_of(claim, taints, [&found](const Charge&) { found = true; });
  return found;
}

Verdict decide_due(const api::Pod& pod, const Lookup& lookup, const Taints& taints) {
  Verdict verdict;
  if (!may_have_to_go(pod)) return verdict;
  verdict.steps += for_each_charge(pod, lookup, taints, [&](const Charge& charge) {
    ++verdict.steps;
    if (!charge.due) return;
    verdict.due = std::min(verdict.due.value_or(*charge.due), *charge.due);
    if (charge.rule != nullptr) verdict.rules.push_back(charge.rule->id);
  });
  sort_unique(verdict.rules);
  return verdict;
}

std::vector<Reason> reasons_for(const api::Pod& pod, const Lookup& lookup, const Taints& taints) {
  std::vector<Reason> reasons;
  if (!may_have_to_go(pod)) return reasons;
  for_each_charge(pod, lookup, taints, [&](const Charge& charge) {
    if (charge.due) reasons.push_back(charge.reason());
  });
  sort_unique(reasons);
  return reasons;
}

}  // namespace dcm::device_taint_eviction
