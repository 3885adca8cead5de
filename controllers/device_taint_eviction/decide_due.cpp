#include "controllers/device_taint_eviction/decide_due.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "controllers/common/pod_claims.hpp"

namespace dcm::device_taint_eviction {
namespace {

// Collects what speaks against a pod.
class Trial {
 public:
  explicit Trial(const Taints& taints) : taints_(taints) {}

  void hear(const api::AllocatedDevice& device) {
    taints_.rules.for_each_match(device.id, [&](const Rule& rule) {
      const auto due = decide_due(rule.object->taint, device.tolerations.get());
      if (!due) return;
      add(*due, {Reason::Source::rule, rule.object->meta.key.name, {}, 0, rule.id});
    });
    taints_.published.for_each_taint(device.id, [&](const api::DeviceTaint& taint) {
      const auto due = decide_due(taint, device.tolerations.get());
      if (due) add(*due, {Reason::Source::driver, {}, device.id, taint.index, {}});
    });
  }

  Verdict verdict() && {
    std::ranges::sort(verdict_.reasons);
    const auto doubles = std::ranges::unique(verdict_.reasons);
    verdict_.reasons.erase(doubles.begin(), doubles.end());
    return std::move(verdict_);
  }

 private:
  void add(WallTime due, Reason reason) {
    verdict_.due = std::min(verdict_.due.value_or(due), due);
    verdict_.reasons.push_back(std::move(reason));
  }

  const Taints& taints_;
  Verdict verdict_;
};

}  // namespace

std::string Reason::str() const {
  if (source == Source::rule) return "rule " + rule;
  return device.str() + ", taint " + std::to_string(index);
}

bool can_be_evicted(const api::Pod& pod) {
  return !pod.meta.is_being_deleted && !common::is_done(pod);
}

Verdict decide_due(const api::Pod& pod, const Lookup& lookup, const Taints& taints) {
  if (pod.node_name.empty() || !can_be_evicted(pod)) return {};
  Trial trial(taints);
  for (const std::string_view name : common::names_of_claims(pod)) {
    const ClaimPtr claim = lookup.find_claim({pod.meta.key.namespace_, std::string(name)});
    if (!claim || !common::may_consume_now(*claim, pod)) continue;
    for (const api::AllocatedDevice& device : claim->devices) trial.hear(device);
  }
  return std::move(trial).verdict();
}

}  // namespace dcm::device_taint_eviction
