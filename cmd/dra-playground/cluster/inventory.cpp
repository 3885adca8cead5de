#include "cmd/dra-playground/cluster/inventory.hpp"

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

// Every part that the selector has must be equal; what we do not know of it matches nothing.
bool selects(const api::DeviceTaintRule& rule, const api::DeviceId& id) {
  if (!rule.selector || !rule.unknown_selector_field.empty()) return false;
  const api::DeviceSelector& wanted = *rule.selector;
  return (wanted.driver.empty() || wanted.driver == id.driver) &&
         (wanted.pool.empty() || wanted.pool == id.pool) &&
         (wanted.device.empty() || wanted.device == id.device);
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
    const auto [known, is_new] = devices_.try_emplace(id, Device{slice.node, device.taints});
    if (!is_new) continue;
    known->second.is_tainted = is_kept_off(id, known->second, {});
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

void Inventory::set_rule(const api::DeviceTaintRule& rule) {
  if (keeps_off(rule.taint)) {
    rules_.insert_or_assign(rule.meta.key.name, rule);
  } else {
    rules_.erase(rule.meta.key.name);
  }
  look_at_rules_again();
}

void Inventory::remove_rule(const api::DeviceTaintRule& rule) {
  if (rules_.erase(rule.meta.key.name) > 0) look_at_rules_again();
}

void Inventory::look_at_rules_again() {
  for (auto& [id, device] : devices_) {
    const bool was_free = is_free(id);
    device.is_tainted = is_kept_off(id, device, {});
    std::size_t& free = nodes_[device.node][id.driver].free;
    if (was_free && !is_free(id)) --free;
    if (!was_free && is_free(id)) ++free;
  }
}

// By any of its taints.
bool Inventory::is_kept_off(const api::DeviceId& id, const Device& device,
                            const std::vector<Toleration>& tolerated) const {
  const auto matters = [&tolerated](const api::DeviceTaint& taint) {
    return keeps_off(taint) && !tolerates(tolerated, taint);
  };
  return std::ranges::any_of(device.taints, matters) ||
         std::ranges::any_of(rules_, [&](const auto& rule) {
           return selects(rule.second, id) && matters(rule.second.taint);
         });
}

bool Inventory::may_have(const Need& need, const api::DeviceId& id) const {
  if (is_free(id)) return true;
  const auto device = devices_.find(id);
  return device != devices_.end() && !in_use_.contains(id) &&
         !is_kept_off(id, device->second, need.tolerated);
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
  // Without tolerations, the count of free devices says already that there are too few.
  const bool too_few = wants_all ? driver.free < driver.devices.size() : driver.free == 0;
  if (need.tolerated.empty() && too_few) return !wants_all;
  for (const api::DeviceId& id : driver.devices) {
    if (!wants_all && devices.size() == need.count) break;
    const bool is_usable = may_have(need, id) && !contains(taken, id);
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
