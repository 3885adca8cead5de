// Device counts by driver: published, in use, tainted, and in incomplete pools.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controllers/device_taint_eviction/state/allocated_devices.hpp"
#include "controllers/device_taint_eviction/state/published_devices.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"

namespace dcm::device_taint_eviction {

// Counts devices of current slices; `allocated` counts all, as a device in use may be withdrawn.
struct DeviceCounts {
  std::size_t published = 0;
  std::size_t allocated = 0;    // not by claims with admin access
  std::size_t no_schedule = 0;  // with that effect, by a driver or a rule
  std::size_t no_execute = 0;
  std::size_t in_incomplete_pools = 0;
  std::size_t incomplete_pools = 0;  // incomplete pools

  DeviceCounts& operator+=(const DeviceCounts& other);
  friend bool operator==(const DeviceCounts&, const DeviceCounts&) = default;
};

using CountsByDriver = std::map<std::string, DeviceCounts>;

// Rules that keep pods off devices, by the driver and pool that each names, if any.
class RulesOfPools {
 public:
  // Their devices and effects. An empty name: all devices.
  using DeviceRules = std::set<std::pair<api::InternedString, api::TaintEffect>>;

  RulesOfPools() = default;
  explicit RulesOfPools(const TaintRules& rules);

  std::vector<const DeviceRules*> of(const api::InternedString& driver,
                                     const api::InternedString& pool) const;

 private:
  using Key = std::pair<api::InternedString, api::InternedString>;
  std::map<Key, DeviceRules> rules_;
};

// Counts in parts, as a large cluster has a hundred thousand pools. Changes during a count may or
// may not be counted.
class DeviceCount {
 public:
  // Counts the next part; starts over after the last one. Takes a step per slice of the part, and
  // one per device of a pool that a rule selects. Returns whether there is more to count.
  bool advance(const PublishedDevices& published, const AllocatedDevices& allocated,
               const TaintRules& rules);
  // Requires that there is nothing left to count.
  const CountsByDriver& counts() const { return counts_; }

 private:
  CountsByDriver counts_;
  RulesOfPools rules_;  // during a count
  std::size_t parts_done_ = 0;
};

}  // namespace dcm::device_taint_eviction
