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
    std::optional<std::int64_t> generation, const api::InternedString& device) const {
  std::vector<api::DeviceTaint> taints;
  if (!generation) return taints;
  const auto found = tainted.find({*generation, device});
  if (found == tainted.end()) return taints;
  for (const Tainted& entry : found->second) {
    taints.insert(taints.end(), entry.taints->begin(), entry.taints->end());
  }
  return taints;
}

void PublishedDevices::Pool::withdraw(const api::ResourceSlice& slice) {
  for (const api::PublishedDevice& device : slice.devices) {
    if (!device.taints) continue;
    const auto found = tainted.find({slice.pool_generation, device.name});
    if (found == tainted.end()) continue;
    std::erase_if(found->second, [&](const Tainted& entry) { return entry.slice == &slice; });
    if (found->second.empty()) tainted.erase(found);
  }
  const auto erased = slices.erase({slice.pool_generation, slice.meta.key.name});
  DCM_ASSERT(erased == 1);
}

void PublishedDevices::Pool::publish(const SlicePtr& slice) {
  slices.insert_or_assign({slice->pool_generation, slice->meta.key.name}, slice);
  for (const api::PublishedDevice& device : slice->devices) {
    if (!device.taints) continue;
    tainted[{slice->pool_generation, device.name}].push_back({slice.get(), device.taints.get()});
  }
}

// Finds the devices of a pool whose taints a change of its slices changes.
class PublishedDevices::Comparison {
 public:
  // Begins before the change.
  Comparison(const PoolName& name, const Pool& pool)
      : name_(name), pool_(pool), before_(pool.newest()) {}

  // Before the change: a slice that will be withdrawn or published.
  void add(const api::ResourceSlice& slice) {
    for (const api::PublishedDevice& device : slice.devices) {
      if (device.taints) add(device.name);
    }
  }

  // After the change. Returns the devices, or their pool if there are too many to compare.
  std::vector<api::DeviceSelector> finish() {
    const auto now = pool_.newest();
    const bool are_few = now == before_ || (add_generation(before_) && add_generation(now));
    if (!are_few) return {selector({})};
    std::vector<api::DeviceSelector> changed;
    for (const auto& [device, taints] : taints_) {
      if (pool_.taints_of(now, device) != taints) changed.push_back(selector(device));
    }
    return changed;
  }

 private:
  api::DeviceSelector selector(const api::InternedString& device) const {
    return {name_.first, name_.second, device};
  }

  void add(const api::InternedString& device) {
    if (!taints_.contains(device)) taints_.emplace(device, pool_.taints_of(before_, device));
  }

  // Adds the tainted devices of a generation. Returns false if there are more than kCompared.
  bool add_generation(std::optional<std::int64_t> generation) {
    if (!generation) return true;
    const auto [first, last] = pool_.tainted.equal_range(*generation);
    for (auto entry = first; entry != last; ++entry) {
      if (taints_.size() > kCompared) return false;
      add(entry->first.second);
    }
    return true;
  }

  const PoolName& name_;
  const Pool& pool_;
  std::optional<std::int64_t> before_;                                   // the newest generation
  std::map<api::InternedString, std::vector<api::DeviceTaint>> taints_;  // before the change
};

std::vector<api::DeviceSelector> PublishedDevices::replace(const SlicePtr& before,
                                                           const SlicePtr& after) {
  if (before && after && (before->driver != after->driver || before->pool != after->pool)) {
    std::vector<api::DeviceSelector> changed = replace(before, nullptr);
    std::ranges::move(replace(nullptr, after), std::back_inserter(changed));
    return changed;
  }
  const api::ResourceSlice& some = before ? *before : *after;
  const PoolName name(some.driver, some.pool);
  Pool& pool = pools_[name];
  Comparison comparison(name, pool);
  if (before) comparison.add(*before);
  if (after) comparison.add(*after);
  if (before) pool.withdraw(*before);
  if (after) pool.publish(after);
  std::vector<api::DeviceSelector> changed = comparison.finish();
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
