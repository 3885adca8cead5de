#include "controllers/device_taint_eviction/state/published_devices.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "runtime/assert.hpp"

namespace dcm::device_taint_eviction {

std::optional<std::int64_t> PublishedDevices::Pool::newest() const {
  if (slices.empty()) return std::nullopt;
  return slices.rbegin()->first.first;
}

PublishedDevices::SlicesOfGeneration PublishedDevices::Pool::of(std::int64_t generation) const {
  const auto [first, last] = slices.equal_range(generation);
  return std::views::values(std::ranges::subrange(first, last));
}

std::vector<api::DeviceTaint> PublishedDevices::Pool::taints_of(
    const api::InternedString& device) const {
  std::vector<api::DeviceTaint> taints;
  const auto found = tainted.find(device);
  if (found == tainted.end()) return taints;
  for (const Tainted& entry : found->second) {
    taints.insert(taints.end(), entry.taints->begin(), entry.taints->end());
  }
  return taints;
}

void PublishedDevices::Pool::withdraw(const api::ResourceSlice& slice) {
  for (const api::PublishedDevice& device : slice.devices) {
    if (!device.taints) continue;
    const auto found = tainted.find(device.name);
    if (found == tainted.end()) continue;
    std::erase_if(found->second, [&](const Tainted& entry) { return entry.slice == &slice; });
    if (found->second.empty()) tainted.erase(found);
  }
}

void PublishedDevices::Pool::publish(const api::ResourceSlice& slice) {
  for (const api::PublishedDevice& device : slice.devices) {
    if (device.taints) tainted[device.name].push_back({&slice, device.taints.get()});
  }
}

std::vector<api::DeviceId> PublishedDevices::replace(const SlicePtr& before,
                                                     const SlicePtr& after) {
  if (before && after && (before->driver != after->driver || before->pool != after->pool)) {
    std::vector<api::DeviceId> changed = replace(before, nullptr);
    std::ranges::move(replace(nullptr, after), std::back_inserter(changed));
    return changed;
  }
  const api::ResourceSlice& some = before ? *before : *after;
  const PoolName name(some.driver, some.pool);
  Pool& pool = pools_[name];

  // Slices that are no longer current, and new current ones.
  const auto generation_before = pool.newest();
  std::vector<SlicePtr> leaving;
  std::vector<SlicePtr> entering;
  if (before && before->pool_generation == generation_before) leaving.push_back(before);
  if (before) {
    const auto erased = pool.slices.erase({before->pool_generation, before->meta.key.name});
    DCM_ASSERT(erased == 1);
  }
  if (after) pool.slices.insert_or_assign({after->pool_generation, after->meta.key.name}, after);
  const auto generation_after = pool.newest();
  if (generation_after == generation_before) {
    if (after && after->pool_generation == generation_after) entering.push_back(after);
  } else {
    if (generation_before)
      std::ranges::copy(pool.of(*generation_before), std::back_inserter(leaving));
    if (generation_after)
      std::ranges::copy(pool.of(*generation_after), std::back_inserter(entering));
  }

  std::map<api::InternedString, std::vector<api::DeviceTaint>> taints_before;
  for (const auto* slices : {&leaving, &entering}) {
    for (const SlicePtr& slice : *slices) {
      for (const api::PublishedDevice& device : slice->devices) {
        if (device.taints) taints_before.try_emplace(device.name, pool.taints_of(device.name));
      }
    }
  }
  for (const SlicePtr& slice : leaving) pool.withdraw(*slice);
  for (const SlicePtr& slice : entering) pool.publish(*slice);

  std::vector<api::DeviceId> changed;
  for (const auto& [device, taints] : taints_before) {
    if (pool.taints_of(device) != taints) changed.push_back({name.first, name.second, device});
  }
  if (pool.slices.empty()) pools_.erase(name);
  return changed;
}

std::size_t PublishedDevices::count(const Pool& pool, const api::InternedString& device) {
  std::size_t sum = 0;
  for (const SlicePtr& slice : pool.current()) {
    sum += device.empty() ? slice->devices.size()
                          : static_cast<std::size_t>(std::ranges::count(
                                slice->devices, device, &api::PublishedDevice::name));
  }
  return sum;
}

std::size_t PublishedDevices::count(const api::DeviceSelector& selector) const {
  std::size_t sum = 0;
  for (std::size_t part = 0; part < runtime::kShards; ++part) sum += count_part(selector, part);
  return sum;
}

std::size_t PublishedDevices::count_part(const api::DeviceSelector& selector,
                                         std::size_t part) const {
  if (!selector.driver.empty() && !selector.pool.empty()) {
    const Pool* pool = part == 0 ? pools_.find({selector.driver, selector.pool}) : nullptr;
    return pool == nullptr ? 0 : count(*pool, selector.device);
  }
  std::size_t sum = 0;
  pools_.for_each_of_part(part, [&](const PoolName& name, const Pool& pool) {
    if (!selector.driver.empty() && selector.driver != name.first) return;
    if (!selector.pool.empty() && selector.pool != name.second) return;
    sum += count(pool, selector.device);
  });
  return sum;
}

}  // namespace dcm::device_taint_eviction
