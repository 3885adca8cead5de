// Whether a pod must be evicted, when, and why (KEP-5055). Pure: takes objects and the indexes of
// taints.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controllers/api/pod.hpp"
#include "controllers/common/pod_claims.hpp"
#include "controllers/device_taint_eviction/rules/due_of_taint.hpp"
#include "controllers/device_taint_eviction/state/allocated_devices.hpp"
#include "controllers/device_taint_eviction/state/lookup.hpp"
#include "controllers/device_taint_eviction/state/published_devices.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"

namespace dcm::device_taint_eviction {

// A taint that a pod does not tolerate (forever). Taints of rules sort before taints of drivers.
struct Reason {
  enum class Source : std::uint8_t { rule, driver };
  Source source = Source::rule;
  std::string rule;      // only for a rule's taint
  api::DeviceId device;  // only for a driver's taint
  std::uint32_t index = 0;

  // "rule burnt-gpus", "gpu.example.com/node-a/gpu-0, taint 1"
  std::string str() const;

  friend bool operator==(const Reason&, const Reason&) = default;
  friend auto operator<=>(const Reason&, const Reason&) = default;
};

struct Verdict {
  std::optional<WallTime> due;  // nullopt: the pod may stay
  std::vector<RuleId> rules;    // that cause it, sorted, each once; without the taints of drivers
  std::size_t steps = 1;        // number of taints and devices examined, as a measure of cost
};

// The sources of taints. References must outlive it.
struct Taints {
  const PublishedDevices& published;
  const TaintRules& rules;
};

// An evicting taint on a device that a pod may use now.
struct Charge {
  const ClaimPtr& claim;
  const api::AllocatedDevice& device;
  const api::DeviceTaint& taint;
  const Rule* rule;             // null: the taint is the driver's
  std::optional<WallTime> due;  // nullopt: tolerated forever, or without a time

  Reason reason() const;
};
// Calls `visit(const Charge&)` for each charge on a device of the claim.
template <class Visit>
void for_each_charge_of(const ClaimPtr& claim, const Taints& taints, Visit visit) {
  for (const api::AllocatedDevice& device : claim->devices) {
    const auto charge = [&](const api::DeviceTaint& taint, const Rule* rule) {
      visit(Charge{claim, device, taint, rule, due_of_taint(taint, device.tolerations.get())});
    };
    taints.rules.for_each_match(device.id,
                                [&](const Rule& rule) { charge(rule.object->taint, &rule); });
    taints.published.for_each_taint(device.id,
                                    [&](const api::DeviceTaint& taint) { charge(taint, nullptr); });
  }
}
// Whether the claim has any charge, tolerated or not.
bool has_charge(const ClaimPtr& claim, const Taints& taints);
// Calls `visit(const Charge&)` for each charge of a pod on a node; decide_due is built on it.
// Returns the number of devices examined.
template <class Visit>
std::size_t for_each_charge(const api::Pod& pod, const Lookup& lookup, const Taints& taints,
                            Visit visit) {
  std::size_t devices = 0;
  for (const common::ClaimReference& reference : common::references_of(pod)) {
    const ClaimPtr claim =
        lookup.find_claim({pod.meta.key.namespace_, std::string(reference.name)});
    if (!claim || !common::may_consume_now(*claim, pod, reference, lookup.group_claims())) continue;
    devices += claim->devices.size();
    for_each_charge_of(claim, taints, visit);
  }
  return devices;
}

// The earliest due time over all devices that the pod may use now.
Verdict decide_due(const api::Pod& pod, const Lookup& lookup, const Taints& taints);
// All taints behind a verdict, in words: sorted, each once.
std::vector<Reason> reasons_for(const api::Pod& pod, const Lookup& lookup, const Taints& taints);

}  // namespace dcm::device_taint_eviction
