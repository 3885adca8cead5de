#include "controllers/device_taint_eviction/observers.hpp"

#include <algorithm>
#include <utility>

namespace dcm::device_taint_eviction {
namespace {

bool is_timeless(const api::DeviceTaint& taint) {
  return taint.effect == api::TaintEffect::no_execute && !taint.time_added;
}

std::size_t timeless_taints(const api::ResourceSlice& slice) {
  std::size_t sum = 0;
  for (const api::PublishedDevice& device : slice.devices) {
    if (device.taints) {
      sum += static_cast<std::size_t>(std::ranges::count_if(*device.taints, is_timeless));
    }
  }
  return sum;
}

}  // namespace

Observers::Observers(Tracker& tracker, std::function<void()> notify, runtime::Logger log)
    : log_(std::move(log)),
      pods_([&tracker, notify](const PodPtr& before, const PodPtr& after) {
        tracker.observe_pod(before, after);
        notify();
      }),
      claims_([&tracker, notify](const ClaimPtr& before, const ClaimPtr& after) {
        tracker.observe_claim(before, after);
        notify();
      }),
      slices_([this, &tracker, notify](const SlicePtr& before, const SlicePtr& after) {
        if (after) report_faults(before, *after);
        tracker.observe_slice(before, after);
        notify();
      }),
      rules_([this, &tracker, notify](const RulePtr& before, const RulePtr& after) {
        if (after) report_faults(before, *after);
        tracker.observe_rule(before, after);
        notify();
      }) {}

void Observers::report_faults(const RulePtr& before, const api::DeviceTaintRule& rule) const {
  if (before && before->generation == rule.generation) return;
  if (!rule.unknown_selector_field.empty()) {
    log_.warning("DeviceTaintRule matches nothing: its selector has a field that is not supported",
                 {{"rule", rule.meta.key.name}, {"field", rule.unknown_selector_field}});
  }
  if (is_timeless(rule.taint)) {
    log_.warning("DeviceTaintRule is ignored: its taint has no timeAdded",
                 {{"rule", rule.meta.key.name}});
  }
}

void Observers::report_faults(const SlicePtr& before, const api::ResourceSlice& slice) const {
  const std::size_t faults = timeless_taints(slice);
  if (faults == 0 || (before && timeless_taints(*before) == faults)) return;
  log_.warning("Taints of a ResourceSlice are ignored: they have no timeAdded",
               {{"slice", slice.meta.key.name}, {"taints", std::uint64_t{faults}}});
}

}  // namespace dcm::device_taint_eviction
