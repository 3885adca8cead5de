#include "controllers/device_taint_eviction/state/allocated_devices.hpp"

#include <algorithm>

#include "runtime/assert.hpp"

namespace dcm::device_taint_eviction {
namespace {

bool fits(const api::InternedString& wanted, const api::InternedString& name) {
  return wanted.empty() || wanted == name;
}

bool has_same_uses(const api::ResourceClaim& a, const api::ResourceClaim& b) {
  return a.meta.uid == b.meta.uid && a.has_admin_access == b.has_admin_access &&
         std::ranges::equal(a.devices, b.devices, {}, &api::AllocatedDevice::id,
                            &api::AllocatedDevice::id);
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
  if (before && after && has_same_uses(*before, *after)) {
    for (std::uint32_t result = 0; result < count(before); ++result) {
      uses_[find(before, result)].claim = after;
    }
    return;
  }
  for (std::uint32_t result = 0; result < count(before); ++result) erase(before, result);
  for (std::uint32_t result = 0; result < count(after); ++result) insert(after, result);
}

AllocatedDevices::SlotId AllocatedDevices::find(const ClaimPtr& claim, std::uint32_t result) const {
  if (const SlotId* late = late_uses_.find({claim->meta.uid, result})) return *late;
  std::optional<SlotId> found;
  const auto hash = hash_of(claim->devices[result].id, claim->has_admin_access);
  by_device_.for_each(hash, [&](SlotId slot) {
    ++examined_;
    const Listed& listed = uses_[slot];
    if (listed.claim == claim && listed.result == result) found = slot;
    return !found;
  });
  DCM_ASSERT(found);
  return *found;
}

// Counts up to two uses without admin access: 2 means two or more.
std::size_t AllocatedDevices::plain_uses(const api::DeviceId& device) const {
  std::size_t count = 0;
  by_device_.for_each(hash_of(device, false), [&](SlotId slot) {
    ++examined_;
    const Listed& listed = uses_[slot];
    if (listed.device() == device && !listed.claim->has_admin_access) ++count;
    return count < 2;
  });
  return count;
}

bool AllocatedDevices::has_many_uses(const api::DeviceId& device) const {
  std::size_t uses = 0;
  for_each_slot(device, [&](SlotId) { return ++uses <= kManyUses; });
  return uses > kManyUses;
}

void AllocatedDevices::insert(const ClaimPtr& claim, std::uint32_t result) {
  if (free_.empty()) {
    free_.push_back(static_cast<SlotId>(uses_.size()));
    uses_.push_back({});
  }
  const SlotId slot = free_.back();
  free_.pop_back();
  uses_[slot] = {.claim = claim, .result = result, .positions = {}};
  const api::DeviceId& device = uses_[slot].device();
  const informers::KeyHash hash = hash_of(device, claim->has_admin_access);
  by_device_.set(slot, {&hash, 1});
  if (has_many_uses(device)) late_uses_[{claim->meta.uid, result}] = slot;
  if (!claim->has_admin_access && plain_uses(device) == 1) ++in_use_[device.driver];
  enlist(slot);
}

void AllocatedDevices::erase(const ClaimPtr& claim, std::uint32_t result) {
  const SlotId slot = find(claim, result);
  const api::DeviceId& device = uses_[slot].device();
  delist(slot);
  by_device_.clear(slot);
  late_uses_.erase({claim->meta.uid, result});
  if (!claim->has_admin_access && plain_uses(device) == 0) {
    const auto in_use = in_use_.find(device.driver);
    DCM_ASSERT(in_use != in_use_.end());
    if (--in_use->second == 0) in_use_.erase(in_use);
  }
  uses_[slot].claim = nullptr;
  free_.push_back(slot);
}

const api::InternedString& AllocatedDevices::part(const api::DeviceId& device, Part part) {
  const api::InternedString* const parts[] = {&device.driver, &device.pool, &device.device};
  return *parts[part];
}

void AllocatedDevices::enlist(SlotId slot) {
  for (std::uint8_t each = 0; each < kParts; ++each) {
    List& list = lists_[each][part(uses_[slot].device(), static_cast<Part>(each))];
    uses_[slot].positions[each] = static_cast<std::uint32_t>(list.size());
    list.push_back(slot);
  }
}

void AllocatedDevices::delist(SlotId slot) {
  for (std::uint8_t each = 0; each < kParts; ++each) {
    const api::InternedString& name = part(uses_[slot].device(), static_cast<Part>(each));
    List& list = *lists_[each].find(name);
    const std::uint32_t position = uses_[slot].positions[each];
    DCM_ASSERT(list[position] == slot);
    list[position] = list.back();
    uses_[list[position]].positions[each] = position;
    list.pop_back();
    if (list.empty()) lists_[each].erase(name);
  }
}

AllocatedDevices::Walk::Walk(api::DeviceSelector selector)
    : selector_(std::move(selector)),
      wanted_{selector_.driver, selector_.pool, selector_.device},
      is_exact_(!wanted_.driver.empty() && !wanted_.pool.empty() && !wanted_.device.empty()) {}

void AllocatedDevices::Walk::begin(const AllocatedDevices& index) {
  if (is_exact_) {
    index.for_each_slot(wanted_, [this](SlotId slot) {
      places_.push_back(slot);
      return true;
    });
    left_ = places_.size();
    return;
  }
  left_ = index.uses_.size();
  for (const Part each : {driver, pool, device}) {
    if (part(wanted_, each).empty()) continue;
    const std::size_t size = list_of(index, each).size();
    if (size > left_) continue;
    part_ = each;
    left_ = size;
  }
}

const AllocatedDevices::List& AllocatedDevices::Walk::list_of(const AllocatedDevices& index,
                                                              Part each) const {
  static const List none;
  const List* const list = index.lists_[each].find(part(wanted_, each));
  return list == nullptr ? none : *list;
}

const AllocatedDevices::List* AllocatedDevices::Walk::list(const AllocatedDevices& index) const {
  if (is_exact_) return &places_;
  return part_ ? &list_of(index, *part_) : nullptr;
}

}  // namespace dcm::device_taint_eviction
