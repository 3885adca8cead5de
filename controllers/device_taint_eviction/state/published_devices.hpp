// The published devices: pools with their current slices, and the evicting taints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
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
  // whose taints have changed, or their pool, if its generation has changed and it has many tainted
  // devices. Costs a step per device of the two slices, and for another generation one per tainted
  // device, up to kCompared.
  std::vector<api::DeviceSelector> replace(const SlicePtr& before, const SlicePtr& after);
  static constexpr std::size_t kCompared = 1'000;

  // Calls `visit(taint)` for each taint with effect NoExecute in the current slices.
  template <class Visit>
  void for_each_taint(const api::DeviceId& device, Visit visit) const {
    const Pool* pool = pools_.find({device.driver, device.pool});
    if (pool == nullptr) return;
    const auto found = pool->tainted.find({*pool->newest(), device.device});
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

  // Calls `visit(driver, pool, current slices)` for the pools of a part, which is below
  // runtime::kShards.
  template <class Visit>
  void for_each_pool_of_part(std::size_t part, Visit visit) const {
    pools_.for_each_of_part(part, [&](const PoolName& name, const Pool& pool) {
      visit(name.first, name.second, pool.current());
    });
  }

 private:
  using PoolName = std::pair<api::InternedString, api::InternedString>;  // driver, pool
  struct PoolHash {
    std::size_t operator()(const PoolName& name) const noexcept {
      return name.first.hash() * 31 + name.second.hash();
    }
  };
  using GenerationAndName = std::pair<std::int64_t, api::InternedString>;
  struct Before {
    using is_transparent = void;
    bool operator()(const GenerationAndName& a, const GenerationAndName& b) const { return a < b; }
    bool operator()(const GenerationAndName& a, std::int64_t b) const { return a.first < b; }
    bool operator()(std::int64_t a, const GenerationAndName& b) const { return a < b.first; }
  };
  using Slices = std::map<GenerationAndName, SlicePtr, Before>;
  using SlicesOfGeneration =
      std::ranges::values_view<std::ranges::subrange<Slices::const_iterator>>;
  // Points into the slice, which the pool holds.
  struct Tainted {
    const api::ResourceSlice* slice;
    const std::vector<api::DeviceTaint>* taints;
  };
  using TaintedDevices = std::map<GenerationAndName, std::vector<Tainted>, Before>;
  // Invariant: `tainted` has exactly the tainted devices of the slices. A device is in one slice of
  // a generation, unless its driver makes a mistake.
  struct Pool {
    Slices slices;  // empty only while one is replaced
    TaintedDevices tainted;

    std::optional<std::int64_t> newest() const;  // nullopt: no slices
    SlicesOfGeneration of(std::int64_t generation) const;
    SlicesOfGeneration current() const { return of(slices.rbegin()->first.first); }
    // None without a generation.
    std::vector<api::DeviceTaint> taints_of(std::optional<std::int64_t> generation,
                                            const api::InternedString& device) const;
    void withdraw(const api::ResourceSlice& slice);
    void publish(const SlicePtr& slice);
  };
  class Comparison;
  static std::size_t count(const Pool& pool, const api::InternedString& device);

  runtime::ShardedMap<PoolName, Pool, PoolHash> pools_;
};

}  // namespace dcm::device_taint_eviction
