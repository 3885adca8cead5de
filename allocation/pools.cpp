#include "allocation/pools.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

using Fault = std::string;  // empty: none

bool has_compatibility_groups(const Slice& slice) {
  return std::ranges::any_of(slice.devices, [](const Device& device) {
    return device.rare && std::ranges::any_of(device.rare->counters, [](const CounterUse& use) {
             return !use.compatibility_groups.empty();
           });
  });
}

// Slices that use disabled features are ignored.
bool is_ignored(const Slice& slice, const Features& features) {
  if (!features.compatibility_groups && has_compatibility_groups(slice)) return true;
  return !features.partitionable_devices &&
         (slice.per_device_nodes || !slice.shared_counters.empty());
}

std::expected<bool, std::string> reaches_node(const Slice& slice, const Node& node) {
  if (slice.nodes.is_set()) {
    const auto reached = reaches(slice.nodes, node);
    if (reached) return reached;
    return std::unexpected(fmt::format("failed to perform node selection for slice {}: {}",
                                       slice.meta.key.name, reached.error()));
  }
  if (!slice.has_per_device_nodes()) return false;
  for (const Device& device : slice.devices) {
    const auto reached = reaches(device.extras().nodes, node);
    if (!reached) {
      return std::unexpected(
          fmt::format("failed to perform node selection for device {} in slice {}: {}",
                      device.name.str(), slice.meta.key.name, reached.error()));
    }
    if (*reached) return true;
  }
  return false;
}

Fault repeated_device(const std::vector<const Slice*>& slices) {
  std::size_t count = 0;
  for (const Slice* const slice : slices) count += slice->devices.size();
  std::vector<const InternedString*> names;
  names.reserve(count);
  for (const Slice* const slice : slices) {
    for (const Device& device : slice->devices) names.push_back(&device.name);
  }
  // Which of several duplicate names is reported must not depend on addresses.
  const auto by_name = [](const auto* a, const auto* b) { return *a < *b; };
  std::ranges::sort(names, by_name);
  const auto twice =
      std::ranges::adjacent_find(names, [](const auto* a, const auto* b) { return *a == *b; });
  return twice == names.end() ? Fault() : "duplicate device name " + (*twice)->str();
}

using CounterSets = std::unordered_map<InternedString, const CounterSet*>;

Fault repeated_set(const Pool& pool, CounterSets& sets) {
  for (const CounterSet* const set : pool.counter_sets) {
    if (!sets.emplace(set->name, set).second)
      return "duplicate counter set name " + set->name.str();
  }
  return {};
}

Fault unknown_counter(const CounterSets& sets, const std::vector<const Slice*>& slices) {
  for (const Slice* const slice : slices) {
    for (const Device& device : slice->devices) {
      for (const CounterUse& use : device.extras().counters) {
        const auto set = sets.find(use.set);
        if (set == sets.end()) return fmt::format("counter set {} not found", use.set.str());
        for (const Counter& counter : use.counters) {
          const auto& known = set->second->counters;
          if (std::ranges::find(known, counter.name, &Counter::name) == known.end()) {
            return fmt::format("counter {} not found in counter set {}", counter.name.str(),
                               use.set.str());
          }
        }
      }
    }
  }
  return {};
}

Fault fault_of(const Pool& pool, const Features& features) {
  Fault fault = repeated_device(pool.slices);
  if (!features.partitionable_devices) return fault;
  CounterSets sets;
  if (fault.empty()) fault = repeated_set(pool, sets);
  if (fault.empty()) fault = unknown_counter(sets, pool.slices);
  if (fault.empty()) fault = unknown_counter(sets, pool.elsewhere);
  return fault;
}

// Sorts a slice of the pool by its content: counters or devices.
void add_slice(const Slice& slice, const Features& features, Pool& pool,
               std::vector<const Slice*>& devices) {
  if (!features.partitionable_devices || slice.shared_counters.empty()) {
    devices.push_back(&slice);
    return;
  }
  for (const CounterSet& set : slice.shared_counters) pool.counter_sets.push_back(&set);
}

// Slices may be missing on this node because they are for other nodes.
void look_elsewhere(const SliceIndex& index, const Features& features,
                    std::span<const Slice* const> here, Pool& pool) {
  const std::int64_t generation = here[0]->generation;
  const std::unordered_set<const Slice*> known(here.begin(), here.end());
  std::int64_t found = 0;
  for (const SlicePtr& slice : index.of_pool(pool.id)) {
    if (slice->generation > generation) pool.state = Pool::State::obsolete;
    if (slice->generation != generation) continue;
    if (!features.compatibility_groups && has_compatibility_groups(*slice)) continue;
    ++found;
    if (!known.contains(slice.get())) add_slice(*slice, features, pool, pool.elsewhere);
  }
  pool.slices_found = found;
  if (pool.state == Pool::State::usable && found != pool.slices_expected) {
    pool.state = Pool::State::incomplete;
  }
}

// `here`: the slices of the pool's newest generation that reach the node, in the order found.
Pool build_pool(const SliceIndex& index, const Features& features, std::vector<const Slice*> here) {
  Pool pool{.id = {here[0]->driver, here[0]->pool}};
  pool.slices_expected = here[0]->slice_count;
  pool.slices_found = std::ssize(here);
  std::ranges::sort(here, {}, [](const Slice* slice) { return slice->meta.key.name.view(); });
  for (const Slice* const slice : here) add_slice(*slice, features, pool, pool.slices);
  if (pool.slices_found != pool.slices_expected) look_elsewhere(index, features, here, pool);
  if (pool.state != Pool::State::usable) return pool;
  pool.why_invalid = fault_of(pool, features);
  if (!pool.why_invalid.empty()) pool.state = Pool::State::invalid;
  return pool;
}

}  // namespace

bool Pool::has_binding_conditions() const {
  return state == State::usable && std::ranges::any_of(slices, [](const Slice* slice) {
           return std::ranges::any_of(slice->devices, [](const Device& device) {
             return !device.extras().binding_conditions.empty();
           });
         });
}

std::expected<std::vector<Pool>, std::string> gather_pools(const SliceIndex& index,
                                                           const Node& node,
                                                           const Features& features) {
  struct Reached {
    const Slice* slice;
    std::size_t position;  // in the order found
  };
  std::vector<Reached> reached;
  for (const std::span<const SlicePtr> slices : {index.of_node(node.name), index.shared()}) {
    for (const SlicePtr& slice : slices) {
      if (is_ignored(*slice, features)) continue;
      const auto is_reached = reaches_node(*slice, node);
      if (!is_reached) return std::unexpected(is_reached.error());
      if (*is_reached) reached.push_back({slice.get(), reached.size()});
    }
  }
  std::ranges::sort(reached, [](const Reached& a, const Reached& b) {
    return std::tie(a.slice->driver, a.slice->pool, b.slice->generation, a.position) <
           std::tie(b.slice->driver, b.slice->pool, a.slice->generation, b.position);
  });
  std::vector<Pool> pools;
  std::vector<const Slice*> here;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Slice& slice = *reached[i].slice;
    const bool is_same_pool =
        !here.empty() && here[0]->driver == slice.driver && here[0]->pool == slice.pool;
    if (!here.empty() && !is_same_pool)
      pools.push_back(build_pool(index, features, std::exchange(here, {})));
    const bool is_outdated = is_same_pool && here[0]->generation != slice.generation;
    if (!is_outdated) here.push_back(&slice);
  }
  if (!here.empty()) pools.push_back(build_pool(index, features, std::move(here)));
  // They are sorted by name already.
  const auto conditional = [](const Pool& pool) { return pool.has_binding_conditions(); };
  if (std::ranges::any_of(pools, conditional)) {
    std::ranges::sort(pools, [&](const Pool& a, const Pool& b) {
      return std::tuple(conditional(a), a.id) < std::tuple(conditional(b), b.id);
    });
  }
  return pools;
}

}  // namespace dcm::allocation
