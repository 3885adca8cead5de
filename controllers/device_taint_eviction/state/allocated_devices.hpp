// Which claims have which devices: looked up by device, or by a part of its name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controllers/api/device_taint_rule.hpp"
#include "controllers/device_taint_eviction/state/lookup.hpp"

namespace dcm::device_taint_eviction {

// Whether the device equals the selector in each part that is set.
bool matches(const api::DeviceSelector& selector, const api::DeviceId& device);

// Allocated devices with their claims, indexed by every part of the name. A change of a claim costs
// a step per device (and, for a shared device, a search through its claims). About 150 bytes for a
// device with one claim. Loop thread only; no I/O.
class AllocatedDevices {
 public:
  // A result of an allocation; a claim may have several for one device.
  struct Use {
    ClaimPtr claim;
    std::uint32_t result;

    const api::AllocatedDevice& allocated() const { return claim->devices[result]; }
  };

  // Records a claim that was added (no `before`), changed, or removed (no `after`).
  void replace(const ClaimPtr& before, const ClaimPtr& after);

  // Calls `visit(use)`.
  template <class Visit>
  void for_each_use(const api::DeviceId& device, Visit visit) const {
    const auto found = devices_.find(device);
    if (found == devices_.end()) return;
    for (const Use& use : found->second.uses) visit(use);
  }

  std::size_t size() const noexcept { return devices_.size(); }
  // Calls `visit(driver, devices)`, without devices that only claims with admin access have.
  template <class Visit>
  void for_each_driver(Visit visit) const {
    for (const auto& [driver, devices] : in_use_) visit(driver, devices);
  }

  class Walk;

 private:
  // The lists that contain a device, one for each way to look it up.
  enum Via : std::uint8_t { via_all, via_driver, via_pool, via_device, kVias };
  struct Uses {
    std::vector<Use> uses;                       // never empty
    std::array<std::uint32_t, kVias> positions;  // in the lists
  };
  using Device = std::pair<const api::DeviceId, Uses>;
  using List = std::vector<Device*>;

  static const api::InternedString& part(const api::DeviceId& device, Via via);
  void insert(const ClaimPtr& claim, std::uint32_t result);
  void erase(const ClaimPtr& claim, std::uint32_t result);
  void leave(const api::InternedString& driver);
  bool has_same_devices(const api::ResourceClaim& a, const api::ResourceClaim& b) const;
  void enlist(Device& device);
  void delist(Device& device);
  const List* find_list(Via via, const api::InternedString& name) const;

  std::unordered_map<api::DeviceId, Uses> devices_;
  // By the part of the name (empty for via_all). Order does not matter: a removed device is
  // replaced by the list's last.
  std::array<std::unordered_map<api::InternedString, List>, kVias> lists_;
  std::unordered_map<api::InternedString, std::size_t> in_use_;  // devices by driver
};

// A walk over the devices that a selector matches, in slices, while the index may change in
// between. Uses only the shortest list that contains them all. Each device that matches during the
// whole walk is visited at least once; later ones may be missed.
//
// Copyable; refers to no index between the calls.
class AllocatedDevices::Walk {
 public:
  explicit Walk(api::DeviceSelector selector) : selector_(std::move(selector)) {}

  // Visits devices with `visit(const DeviceId&, const std::vector<Use>&)`, examining at most
  // `limit`. Returns whether there is more to do.
  template <class Visit>
  bool advance(const AllocatedDevices& index, std::size_t limit, Visit visit) {
    if (is_exact()) {
      const auto found = index.devices_.find(device());
      if (found != index.devices_.end()) visit(found->first, found->second.uses);
      return false;
    }
    const List* list = open(index);
    // From the end to the start, so that a replacement only moves a visited device into the
    // unvisited part, never the other way.
    for (std::size_t looked = 0; list != nullptr && left_ > 0 && looked < limit; ++looked) {
      const Device& device = *(*list)[--left_];
      if (matches(selector_, device.first)) visit(device.first, device.second.uses);
    }
    return list != nullptr && left_ > 0;
  }

  const api::DeviceSelector& selector() const { return selector_; }

 private:
  bool is_exact() const;
  api::DeviceId device() const { return {selector_.driver, selector_.pool, selector_.device}; }
  // Chooses the list on the first call; null if there is none (or no longer).
  const List* open(const AllocatedDevices& index);

  api::DeviceSelector selector_;
  std::optional<Via> via_;
  std::size_t left_ = 0;  // positions before it are still to be visited
};

}  // namespace dcm::device_taint_eviction
