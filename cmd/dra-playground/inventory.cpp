#include "cmd/dra-playground/inventory.hpp"

#include <algorithm>
#include <utility>

namespace dcm::playground {
namespace {

// The most devices that an allocation can have (AllocationResultsMaxSize).
constexpr std::size_t kResultsMax = 32;

bool contains(const Fit& taken, const api::DeviceId& id) {
  return std::ranges::any_of(taken, [&id](const std::vector<api::DeviceId>& devices) {
    return std::ranges::find(devices, id) != devices.end();
  });
}

}  // namespace

void Inventory::set_slice(const Slice& slice) {
  Pool& pool = pools_[{slice.driver, slice.pool}];
  pool.slices.insert_or_assign(slice.meta.key.name, slice);
  rebuild(pool);
}

void Inventory::remove_slice(const Slice& slice) {
  const auto pool = pools_.find({slice.driver, slice.pool});
  if (pool == pools_.end()) return;
  pool->second.slices.erase(slice.meta.key.name);
  rebuild(pool->second);
  if (pool->second.slices.empty()) pools_.erase(pool);
}

void Inventory::rebuild(Pool& pool) {
  for (const api::DeviceId& id : std::exchange(pool.shown, {})) drop(id);
  std::int64_t newest = 0;
  for (const auto& [name, slice] : pool.slices) newest = std::max(newest, slice.generation);
  for (const auto& [name, slice] : pool.slices) {
    if (slice.generation == newest) add(slice, pool);
  }
}

void Inventory::add(const Slice& slice, Pool& pool) {
  DriverOnNode& driver = nodes_[slice.node][slice.driver];
  for (const SliceDevice& device : slice.devices) {
    const api::DeviceId id{slice.driver, slice.pool, device.name};
    const auto [known, is_new] = devices_.try_emplace(id, Device{slice.node, device.is_tainted});
    if (!is_new) continue;
    pool.shown.push_back(id);
    driver.devices.push_back(id);
    if (is_free(id)) ++driver.free;
  }
}

void Inventory::drop(const api::DeviceId& id) {
  const auto device = devices_.find(id);
  DriverOnNode& driver = nodes_[device->second.node][id.driver];
  if (is_free(id)) --driver.free;
  std::erase(driver.devices, id);
  devices_.erase(device);
}

bool Inventory::is_free(const api::DeviceId& id) const {
  const auto device = devices_.find(id);
  return device != devices_.end() && !device->second.is_tainted && !in_use_.contains(id);
}

void Inventory::take(const api::DeviceId& device) {
  const bool was_free = is_free(device);
  ++in_use_[device];
  if (was_free) --nodes_[node_of(device)][device.driver].free;
}

void Inventory::give_back(const api::DeviceId& device) {
  const auto used = in_use_.find(device);
  if (used == in_use_.end() || --used->second > 0) return;
  in_use_.erase(used);
  if (is_free(device)) ++nodes_[node_of(device)][device.driver].free;
}

InternedString Inventory::node_of(const api::DeviceId& device) const {
  const auto found = devices_.find(device);
  return found == devices_.end() ? InternedString() : found->second.node;
}

bool Inventory::fill(const DriverOnNode& driver, const Need& need, const Fit& taken,
                     std::vector<api::DeviceId>& devices) const {
  const bool wants_all = need.mode == AllocationMode::all;
  if (wants_all ? driver.free < driver.devices.size() : driver.free == 0) return !wants_all;
  for (const api::DeviceId& id : driver.devices) {
    if (!wants_all && devices.size() == need.count) break;
    const bool is_usable = is_free(id) && !contains(taken, id);
    if (is_usable) devices.push_back(id);
    if (wants_all && !is_usable) return false;
  }
  return true;
}

std::optional<Fit> Inventory::fit(const InternedString& node_name,
                                  std::span<const Need> needs) const {
  Fit fit;
  if (needs.empty()) return fit;
  const auto node = nodes_.find(node_name);
  if (node == nodes_.end()) return std::nullopt;
  for (const Need& need : needs) {
    std::vector<api::DeviceId> devices;
    for (const auto& [name, driver] : node->second) {
      const bool matches = need.driver.empty() || need.driver == name;
      if (matches && !fill(driver, need, fit, devices)) return std::nullopt;
    }
    const bool is_enough =
        need.mode == AllocationMode::all ? !devices.empty() : devices.size() == need.count;
    if (!is_enough || devices.size() > kResultsMax) return std::nullopt;
    fit.push_back(std::move(devices));
  }
  return fit;
}

}  // namespace dcm::playground
