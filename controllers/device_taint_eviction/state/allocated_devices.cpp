#include "controllers/device_taint_eviction/state/allocated_devices.hpp"

#include <algorithm>

#include "runtime/assert.hpp"

namespace dcm::device_taint_eviction {
namespace {

bool fits(const api::InternedString& wanted, const api::InternedString& name) {
  return wanted.empty() || wanted == name;
}

// Counts up to two uses: 2 means two or more.
std::size_t plain_uses(const std::vector<AllocatedDevices::Use>& uses) {
  std::size_t count = 0;
  for (const AllocatedDevices::Use& use : uses) {
    if (!use.claim->has_admin_access && ++count == 2) break;
  }
  return count;
}

}  // namespace

bool matches(const api::DeviceSelector& selector, const api::DeviceId& device) {
  return fits(selector.driver, device.driver) && fits(selector.pool, device.pool) &&
         fits(selector.device, device.device);
}

void AllocatedDevices::replace(const ClaimPtr& before, const ClaimPtr& after) {
  const auto count = [](const ClaimPtr& claim) {
    return claim ? static_cast<std::uint32_t>(claim->devices.size()) : 0;
  };
  // Nearly every change of a claim leaves its devices unchanged.
  if (before && after && has_same_devices(*before, *after)) {
    for (std::uint32_t result = 0; result < count(before); ++result) {
      auto& uses = devices_.at(before->devices[result].id).uses;
      const auto use = std::ranges::find(uses, before, &Use::claim);
      DCM_ASSERT(use != uses.end());
      *use = {after, use->result};
    }
    return;
  }
  for (std::uint32_t result = 0; result < count(before); ++result) erase(before, result);
  for (std::uint32_t result = 0; result < count(after); ++result) insert(after, result);
}

bool AllocatedDevices::has_same_devices(const api::ResourceClaim& a,
                                        const api::ResourceClaim& b) const {
  return std::ranges::equal(a.devices, b.devices, {}, &api::AllocatedDevice::id,
                            &api::AllocatedDevice::id);
}

void AllocatedDevices::insert(const ClaimPtr& claim, std::uint32_t result) {
  const auto [device, is_new] = devices_.try_emplace(claim->devices[result].id);
  device->second.uses.push_back({claim, result});
  if (!claim->has_admin_access && plain_uses(device->second.uses) == 1)
    ++in_use_[device->first.driver];
  if (is_new) enlist(*device);
}

void AllocatedDevices::erase(const ClaimPtr& claim, std::uint32_t result) {
  const auto device = devices_.find(claim->devices[result].id);
  DCM_ASSERT(device != devices_.end());
  auto& uses = device->second.uses;
  const auto use = std::ranges::find_if(
      uses, [&](const Use& each) { return each.claim == claim && each.result == result; });
  DCM_ASSERT(use != uses.end());
  uses.erase(use);
  if (!claim->has_admin_access && plain_uses(uses) == 0) leave(device->first.driver);
  if (!uses.empty()) return;
  delist(*device);
  devices_.erase(device);
}

void AllocatedDevices::leave(const api::InternedString& driver) {
  const auto found = in_use_.find(driver);
  DCM_ASSERT(found != in_use_.end());
  if (--found->second == 0) in_use_.erase(found);
}

const api::InternedString& AllocatedDevices::part(const api::DeviceId& device, Via via) {
  static const api::InternedString none;
  switch (via) {
    case via_driver:
      return device.driver;
    case via_pool:
      return device.pool;
    case via_device:
      return device.device;
    case via_all:
    case kVias:
      break;
  }
  return none;
}

void AllocatedDevices::enlist(Device& device) {
  for (std::uint8_t via = 0; via < kVias; ++via) {
    List& list = lists_[via][part(device.first, static_cast<Via>(via))];
    device.second.positions[via] = static_cast<std::uint32_t>(list.size());
    list.push_back(&device);
  }
}

void AllocatedDevices::delist(Device& device) {
  for (std::uint8_t via = 0; via < kVias; ++via) {
    const auto found = lists_[via].find(part(device.first, static_cast<Via>(via)));
    List& list = found->second;
    const std::uint32_t position = device.second.positions[via];
    DCM_ASSERT(list[position] == &device);
    list[position] = list.back();
    list[position]->second.positions[via] = position;
    list.pop_back();
    if (list.empty()) lists_[via].erase(found);
  }
}

const AllocatedDevices::List* AllocatedDevices::find_list(Via via,
                                                          const api::InternedString& name) const {
  const auto found = lists_[via].find(name);
  return found == lists_[via].end() ? nullptr : &found->second;
}

bool AllocatedDevices::Walk::is_exact() const {
  return !selector_.driver.empty() && !selector_.pool.empty() && !selector_.device.empty();
}

const AllocatedDevices::List* AllocatedDevices::Walk::open(const AllocatedDevices& index) {
  const auto list_of = [&](Via via) { return index.find_list(via, part(device(), via)); };
  const auto size_of = [](const List* list) {
    return list == nullptr ? std::size_t{0} : list->size();
  };
  if (!via_) {
    via_ = via_all;
    const List* shortest = list_of(via_all);
    for (const Via via : {via_driver, via_pool, via_device}) {
      if (part(device(), via).empty()) continue;
      const List* list = list_of(via);
      if (size_of(list) > size_of(shortest)) continue;
      via_ = via;
      shortest = list;
    }
    left_ = size_of(shortest);
  }
  const List* list = list_of(*via_);
  left_ = std::min(left_, size_of(list));
  return list;
}

}  // namespace dcm::device_taint_eviction
