#include "controllers/resource_pool_status/rules/pool_devices.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>

namespace dcm::resource_pool_status {
namespace {

using Slices = std::vector<const allocation::Slice*>;

void keep_newest(Slices& slices) {
  const auto newest = std::ranges::max(slices, {}, &allocation::Slice::generation)->generation;
  std::erase_if(slices, [&](const auto* slice) { return slice->generation < newest; });
  std::ranges::sort(slices, {}, [](const allocation::Slice* slice) -> const std::string& {
    return slice->meta.key.name;
  });
}

std::vector<PoolDevice> devices_of(const Slices& slices) {
  std::vector<PoolDevice> devices;
  std::unordered_set<InternedString> names;
  for (const allocation::Slice* const slice : slices) {
    for (const allocation::Device& device : slice->devices) {
      if (names.insert(device.name).second) devices.push_back({slice, &device});
    }
  }
  return devices;
}

}  // namespace

InternedString PoolDevices::node() const {
  const auto& first = slices.front()->nodes.node_name;
  const bool is_common = std::ranges::all_of(
      slices, [&](const allocation::Slice* slice) { return slice->nodes.node_name == first; });
  return is_common ? first.value_or(InternedString()) : InternedString();
}

std::vector<PoolDevices> gather_pools(const PoolFilter& filter, const PoolInputs& inputs) {
  std::map<allocation::PoolId, Slices> by_pool;
  for (const allocation::SlicePtr& slice : inputs.slices) {
    if (filter.selects(*slice)) by_pool[{slice->driver, slice->pool}].push_back(slice.get());
  }
  std::vector<PoolDevices> pools;
  for (auto& [id, slices] : by_pool) {
    keep_newest(slices);
    std::vector<PoolDevice> devices = devices_of(slices);
    pools.push_back({id, std::move(slices), std::move(devices)});
  }
  return pools;
}

}  // namespace dcm::resource_pool_status
