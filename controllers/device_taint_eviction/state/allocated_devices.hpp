// Which claims have which devices: looked up by device, or by a part of its name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controllers/api/device_taint_rule.hpp"
#include "controllers/device_taint_eviction/state/lookup.hpp"
#include "informers/posting_table.hpp"
#include "runtime/chunked_vector.hpp"
#include "runtime/sharded_map.hpp"

namespace dcm::device_taint_eviction {

// Whether the device equals the selector in each part that is set.
bool matches(const api::DeviceSelector& selector, const api::DeviceId& device);

// The devices of all claims, indexed by every part of the name. A change of a claim costs a step
// per device, and for a shared device up to kManyUses. About 100 bytes for a device of a claim, and
// as much again for each use of a device beyond kManyUses. Loop thread only; no I/O.
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
    for_each_slot(device, [&](SlotId slot) {
      if (uses_[slot].device() == device) visit(uses_[slot].use());
      return true;
    });
  }
  // Whether the device has more uses than the pods of a node: then walk over them.
  bool has_many_uses(const api::DeviceId& device) const;
  static constexpr std::size_t kManyUses = 256;
  // Uses that changes have examined so far.
  std::size_t examined() const noexcept { return examined_; }

  // Calls `visit(driver, devices)`, without devices that only claims with admin access have.
  template <class Visit>
  void for_each_driver(Visit visit) const {
    for (const auto& [driver, devices] : in_use_) visit(driver, devices);
  }

  class Walk;

 private:
  using SlotId = informers::SlotId;
  // The lists that contain a use, one for each part of the device's name.
  enum Part : std::uint8_t { driver, pool, device, kParts };
  struct Listed {
    ClaimPtr claim;  // null: the slot is free
    std::uint32_t result;
    std::array<std::uint32_t, kParts> positions;  // in the lists

    Use use() const { return {claim, result}; }
    const api::DeviceId& device() const { return claim->devices[result].id; }
  };
  using List = std::vector<SlotId>;

  static const api::InternedString& part(const api::DeviceId& device, Part part);
  struct UseName {
    api::Uid claim;
    std::uint32_t result;
    friend bool operator==(const UseName&, const UseName&) = default;
  };
  struct UseNameHash {
    std::size_t operator()(const UseName& use) const noexcept {
      return std::hash<api::Uid>{}(use.claim) + use.result;
    }
  };

  // Uses with admin access, of which there may be many, have a hash of their own: the others are
  // counted.
  static informers::KeyHash hash_of(const api::DeviceId& device, bool has_admin_access) {
    return informers::fold_hash(std::hash<api::DeviceId>{}(device) + (has_admin_access ? 1 : 0));
  }
  // Calls `visit(slot)` for the device's uses (and others of the same hash) until it returns false.
  template <class Visit>
  void for_each_slot(const api::DeviceId& device, Visit visit) const {
    bool goes_on = true;
    for (const bool has_admin_access : {false, true}) {
      if (!goes_on) return;
      by_device_.for_each(hash_of(device, has_admin_access), [&](SlotId slot) {
        goes_on = visit(slot);
        return goes_on;
      });
    }
  }
  SlotId find(const ClaimPtr& claim, std::uint32_t result) const;
  std::size_t plain_uses(const api::DeviceId& device) const;
  void insert(const ClaimPtr& claim, std::uint32_t result);
  void erase(const ClaimPtr& claim, std::uint32_t result);
  void enlist(SlotId slot);
  void delist(SlotId slot);

  runtime::ChunkedVector<Listed> uses_;
  std::vector<SlotId> free_;
  informers::PostingTable by_device_;
  // Uses of a device that had kManyUses before them. So all others are among the first kManyUses
  // that `by_device_` has for their device: these are in order of insertion.
  runtime::ShardedMap<UseName, SlotId, UseNameHash> late_uses_;
  // By a part of the name. Order does not matter: a removed use is replaced by the list's last.
  std::array<runtime::ShardedMap<api::InternedString, List>, kParts> lists_;
  std::unordered_map<api::InternedString, std::size_t> in_use_;  // devices by driver
  mutable std::size_t examined_ = 0;
};

// A walk over the uses of devices that a selector matches, in slices, while the index may change in
// between. Uses only the shortest list that contains them all. Each use that matches during the
// whole walk is visited at least once; later ones may be missed.
//
// Copyable; refers to no index between the calls.
class AllocatedDevices::Walk {
 public:
  explicit Walk(api::DeviceSelector selector);

  struct Progress {
    bool has_more;
    std::size_t steps;
  };
  // Visits uses with `visit(use)`, which returns the number of steps that it has taken. Examining a
  // use is a step as well. Stops after `limit` steps, which may be exceeded by one visit.
  template <class Visit>
  Progress advance(const AllocatedDevices& index, std::size_t limit, Visit visit) {
    std::size_t steps = 0;
    if (!std::exchange(has_begun_, true)) begin(index);
    const List* const list = this->list(index);
    if (list != nullptr) left_ = std::min(left_, list->size());
    // From the end to the start, so that a replacement only moves a visited use into the unvisited
    // part, never the other way.
    while (left_ > 0 && steps < limit) {
      --left_;
      ++steps;
      const Listed& listed = index.uses_[list == nullptr ? left_ : (*list)[left_]];
      if (listed.claim && matches(selector_, listed.device())) steps += visit(listed.use());
    }
    return {left_ > 0, steps};
  }

  const api::DeviceSelector& selector() const { return selector_; }
  bool has_begun() const noexcept { return has_begun_; }

 private:
  // Chooses the list.
  void begin(const AllocatedDevices& index);
  const List& list_of(const AllocatedDevices& index, Part each) const;
  // The chosen list; null: all uses.
  const List* list(const AllocatedDevices& index) const;

  api::DeviceSelector selector_;
  api::DeviceId wanted_;      // empty where the selector is
  bool is_exact_;             // the selector names one device
  List places_;               // of its uses then
  std::optional<Part> part_;  // otherwise: whose list it is; nullopt: all uses
  bool has_begun_ = false;
  std::size_t left_ = 0;  // positions before it are still to be visited
};

}  // namespace dcm::device_taint_eviction
