#include "controllers/resource_pool_status/rules/partitions.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "allocation/counters.hpp"

namespace dcm::resource_pool_status {
namespace {

using allocation::CounterLedger;
using allocation::Device;

struct Cost {
  InternedString set;
  InternedString counter;
  allocation::Quantity amount;

  friend bool operator==(const Cost&, const Cost&) = default;
};

std::vector<Cost> cost_of(const Device& device) {
  std::vector<Cost> costs;
  for (const allocation::CounterUse& use : device.extras().counters) {
    for (const allocation::Counter& counter : use.counters) {
      costs.push_back({use.set, counter.name, counter.value});
    }
  }
  std::ranges::sort(costs, {}, [](const Cost& cost) { return std::tie(cost.set, cost.counter); });
  return costs;
}

struct Group {
  std::vector<Cost> cost;
  std::int64_t total = 0;
  std::vector<const Device*> free = {};
};
// By attribute and type.
using Groups = std::map<std::pair<std::string, std::string>, Group>;

// The attribute that groups each device: its slice's own, or else the request's.
class Grouping {
 public:
  Grouping(const PoolDevices& pool, const PoolFilter& filter) {
    const bool is_declared = std::ranges::any_of(pool.devices, [](const PoolDevice& each) {
      return !each.slice->partition_attribute.empty();
    });
    if (!is_declared) fallback_ = filter.partition_attribute;
  }

  // Empty if there is none.
  const InternedString& of(const PoolDevice& each) const {
    const InternedString& declared = each.slice->partition_attribute;
    return declared.empty() ? fallback_ : declared;
  }

 private:
  InternedString fallback_;
};

using Error = std::string;  // empty: none

Error add(const PoolDevices& pool, const PoolDevice& each, const InternedString& attribute,
          const allocation::Usage& usage, Groups& groups) {
  const cel::Attribute* const type = find_attribute(*each.slice, *each.device, attribute.str());
  if (type == nullptr || type->kind() != cel::Attribute::Kind::string) {
    return fmt::format(
        "PartitionTypeMissing: device {:?} in pool {} does not carry partition type attribute {:?}",
        each.device->name.str(), pool.id.str(), attribute.str());
  }
  std::vector<Cost> cost = cost_of(*each.device);
  const auto [found, is_new] = groups.try_emplace({attribute.str(), std::string(type->as_text())});
  Group& group = found->second;
  if (is_new) {
    group.cost = std::move(cost);
  } else if (group.cost != cost) {
    return fmt::format(
        "PartitionCostMismatch: devices of partition type {:?} in pool {} consume different "
        "counters",
        type->as_text(), pool.id.str());
  }
  ++group.total;
  if (!allocation::is_allocated(each.id(), usage)) group.free.push_back(each.device);
  return {};
}

// The pool's counters as the allocator sees them.
allocation::Pool counters_of(const PoolDevices& pool) {
  allocation::Pool counters{.id = pool.id, .slices = pool.slices};
  for (const allocation::Slice* const slice : pool.slices) {
    for (const allocation::CounterSet& set : slice->shared_counters) {
      counters.counter_sets.push_back(&set);
    }
  }
  return counters;
}

// Greedy, which is exact: all devices of a group consume the same.
std::int64_t fitting(const Group& group, CounterLedger ledger) {
  return std::ranges::count_if(group.free, [&](const Device* device) {
    return ledger.has_counters_of(*device) && !ledger.take(*device);
  });
}

}  // namespace

Partitions count_partitions(const PoolDevices& pool, const PoolFilter& filter,
                            const allocation::Usage& usage) {
  const Grouping grouping(pool, filter);
  const bool is_grouped = std::ranges::any_of(
      pool.devices, [&](const PoolDevice& each) { return !grouping.of(each).empty(); });
  if (!is_grouped) return {};
  const allocation::Pool counters = counters_of(pool);
  if (counters.counter_sets.empty()) {
    return std::unexpected(fmt::format(
        "PartitionTypeMissing: pool {} declares partitionTypeAttribute but publishes no "
        "sharedCounters",
        pool.id.str()));
  }
  Groups groups;
  for (const PoolDevice& each : pool.devices) {
    const InternedString& attribute = grouping.of(each);
    if (each.device->extras().counters.empty() || attribute.empty()) continue;
    if (Error error = add(pool, each, attribute, usage, groups); !error.empty()) {
      return std::unexpected(std::move(error));
    }
  }
  if (groups.size() > kRowsMax) {
    return std::unexpected(fmt::format(
        "PartitionSummaryOverCap: pool {} has {} partition types, exceeding the maximum of {}",
        pool.id.str(), groups.size(), kRowsMax));
  }
  const CounterLedger ledger(counters, usage);
  std::vector<api::PartitionTypeStatus> rows;
  for (const auto& [key, group] : groups) {
    rows.push_back({key.first, key.second, group.total, fitting(group, ledger)});
  }
  return rows;
}

}  // namespace dcm::resource_pool_status
