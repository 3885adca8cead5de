// How many devices there are, by driver: published, in use, tainted, and in pools that are not
// complete.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "controllers/device_taint_eviction/state/allocated_devices.hpp"
#include "controllers/device_taint_eviction/state/published_devices.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"

namespace dcm::device_taint_eviction {

// Of current slices only, but for `allocated`: a device may be withdrawn while it is in use.
struct DeviceCounts {
  std::size_t published = 0;
  std::size_t allocated = 0;    // not by claims with admin access
  std::size_t no_schedule = 0;  // tainted so, by a driver or a rule
  std::size_t no_execute = 0;
  std::size_t in_incomplete_pools = 0;
  std::size_t incomplete_pools = 0;  // pools, of which slices are missing

  DeviceCounts& operator+=(const DeviceCounts& other);
  friend bool operator==(const DeviceCounts&, const DeviceCounts&) = default;
};

using CountsByDriver = std::map<std::string, DeviceCounts>;

// Costs a step for each slice, and one for each device of a pool that a rule selects.
CountsByDriver count_devices(const PublishedDevices& published, const AllocatedDevices& allocated,
                             const TaintRules& rules);

}  // namespace dcm::device_taint_eviction
