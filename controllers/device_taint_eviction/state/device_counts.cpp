#include "controllers/device_taint_eviction/state/device_counts.hpp"

#include <algorithm>

namespace dcm::device_taint_eviction {
namespace {

using api::InternedString;
using api::TaintEffect;
using DeviceRules = RulesOfPools::DeviceRules;
using RuleList = std::vector<const DeviceRules*>;

bool has_taint(const RuleList& rules, const InternedString& device, TaintEffect effect) {
  return std::ranges::any_of(rules, [&](const DeviceRules* each) {
    return each->contains({{}, effect}) || each->contains({device, effect});
  });
}

void count_taints(const api::ResourceSlice& slice, const RuleList& rules, DeviceCounts& counts) {
  if (rules.empty()) {
    counts.no_schedule += slice.no_schedule.size();
    counts.no_execute += static_cast<std::size_t>(std::ranges::count_if(
        slice.devices,
        [](const api::PublishedDevice& device) { return device.taints != nullptr; }));
    return;
  }
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    const api::PublishedDevice& device = slice.devices[i];
    if (std::ranges::binary_search(slice.no_schedule, i) ||
        has_taint(rules, device.name, TaintEffect::no_schedule)) {
      ++counts.no_schedule;
    }
    if (device.taints || has_taint(rules, device.name, TaintEffect::no_execute))
      ++counts.no_execute;
  }
}

void count_pool(auto slices, const RuleList& rules, DeviceCounts& counts) {
  std::size_t devices = 0;
  const auto size = std::ranges::distance(slices);
  bool is_complete = true;
  for (const SlicePtr& slice : slices) {
    devices += slice->devices.size();
    is_complete &= slice->pool_slices == size;
    count_taints(*slice, rules, counts);
  }
  counts.published += devices;
  if (is_complete) return;
  counts.in_incomplete_pools += devices;
  ++counts.incomplete_pools;
}

}  // namespace

RulesOfPools::RulesOfPools(const TaintRules& rules) {
  rules.for_each([this](const Rule& rule) {
    const api::DeviceTaintRule& object = *rule.object;
    const TaintEffect effect = object.taint.effect;
    if (!prevents_allocation(effect) || !has_usable_selector(object)) return;
    const api::DeviceSelector& selector = *object.selector;
    rules_[{selector.driver, selector.pool}].emplace(selector.device, effect);
  });
}

RuleList RulesOfPools::of(const InternedString& driver, const InternedString& pool) const {
  RuleList all;
  for (const auto& key : {Key(driver, pool), Key(driver, {}), Key({}, pool), Key()}) {
    const auto found = rules_.find(key);
    if (found != rules_.end()) all.push_back(&found->second);
  }
  return all;
}

DeviceCounts& DeviceCounts::operator+=(const DeviceCounts& other) {
  published += other.published;
  allocated += other.allocated;
  no_schedule += other.no_schedule;
  no_execute += other.no_execute;
  in_incomplete_pools += other.in_incomplete_pools;
  incomplete_pools += other.incomplete_pools;
  return *this;
}

bool DeviceCount::advance(const PublishedDevices& published, const AllocatedDevices& allocated,
                          const TaintRules& rules) {
  if (parts_done_ == 0) {
    counts_.clear();
    rules_ = RulesOfPools(rules);
  }
  published.for_each_pool_of_part(parts_done_, [&](const InternedString& driver,
                                                   const InternedString& pool, const auto& slices) {
    count_pool(slices, rules_.of(driver, pool), counts_[driver.str()]);
  });
  parts_done_ = (parts_done_ + 1) % runtime::kShards;
  if (parts_done_ != 0) return true;
  rules_ = {};
  allocated.for_each_driver([&](const InternedString& driver, std::size_t devices) {
    counts_[driver.str()].allocated = devices;
  });
  return false;
}

}  // namespace dcm::device_taint_eviction
