// The published devices: pools with their current slices, and the evicting taints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/resource_slice.hpp"
#include "runtime/keyed_hash.hpp"
#include "runtime/sharded_map.hpp"

namespace dcm::device_taint_eviction {

using SlicePtr = api::ObjectPtr<api::ResourceSlice>;

// Slices by pool. Only those of the pool's highest generation are current; the others are kept in
// case the current ones are deleted. Loop thread only; no I/O.
class PublishedDevices {
 public:
  // Records a slice as added (no `before`), changed, or removed (no `after`). Returns the devices
  // whose taints have changed. Costs a step per device of the two slices, or, when the pool's
  // generation changes, of the pool's current slices before and after.
  std::vector<api::DeviceId> replace(const SlicePtr& before, const SlicePtr& after);

  // Calls `visit(taint)` for each taint with effect NoExecute in the current slices.
  template <class Visit>
  void for_each_taint(const api::DeviceId& device, Visit visit) const {
    const Pool* pool = pools_.find({device.driver, device.pool});
    if (pool == nullptr) return;
    const auto found = pool->tainted.find(device.device);
    if (found == pool->tainted.end()) return;
    for (const Tainted& tainted : found->second) {
      for (const api::DeviceTaint& taint : *tainted.taints) visit(taint);
    }
  }

  // How many devices of current slices the selector matches. Takes one step per pool, and if a
  // device is named, one per device of the matching pools.
  std::size_t count(const api::DeviceSelector& selector) const;
  // A part of them, so that they are counted in slices: `part` is below runtime::kShards.
  std::size_t count_part(const api::DeviceSelector& selector, std::size_t part) const;

  // Calls `visit(driver, pool, current slices by name)` for the pools of a part, which is below
  // runtime::kShards.
  template <class Visit>
  void for_each_pool_of_part(std::size_t part, Visit visit) const {
    pools_.for_each_of_part(part, [&](const PoolName& name, const Pool& pool) {
      visit(name.first, name.second, pool.generations.rbegin()->second);
    });
  }

 private:
  using PoolName = std::pair<api::InternedString, api::InternedString>;  // driver, pool
  struct PoolHash {
    std::size_t operator()(const PoolName& name) const noexcept {
      return name.first.hash() * 31 + name.second.hash();
    }
  };
  using Slices = std::unordered_map<api::InternedString, SlicePtr>;  // by name
  // Points into the slice, which the pool holds.
  struct Tainted {
    const api::ResourceSlice* slice;
    const std::vector<api::DeviceTaint>* taints;
  };
  // Invariant: `tainted` has exactly the tainted devices of the last entry of `generations`, none
  // of which is empty. A device is in one slice, unless its driver makes a mistake.
  struct Pool {
    std::map<std::int64_t, Slices> generations;
    std::unordered_map<api::InternedString, std::vector<Tainted>> tainted;

    void append(std::int64_t generation, std::vector<SlicePtr>& slices) const;
    std::vector<api::DeviceTaint> taints_of(const api::InternedString& device) const;
    void erase(const SlicePtr& slice);
    void insert(const SlicePtr& slice);
    void withdraw(const api::ResourceSlice& slice);
    void publish(const api::ResourceSlice& slice);
  };
  static std::size_t count(const Pool& pool, const api::InternedString& device);

  runtime::ShardedMap<PoolName, Pool, PoolHash> pools_;
};

}  // namespace dcm::device_taint_eviction
