// resource.k8s.io ResourceSlice (KEP-4381), projected to which devices there are, which taints on
// them evict, and what is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "client/api/meta.hpp"
#include "controllers/api/device.hpp"

namespace dcm::api {

struct PublishedDevice {
  InternedString name;
  // The taints with effect NoExecute, in order. Null means none, which is the usual case.
  std::unique_ptr<const std::vector<DeviceTaint>> taints;
};

struct ResourceSlice {
  ObjectMeta meta;
  InternedString driver;
  InternedString pool;
  // Only the slices of a pool's highest generation count.
  std::int64_t pool_generation = 0;
  std::int64_t pool_slices = 0;  // that the pool has in this generation
  std::vector<PublishedDevice> devices;
  // Positions of the devices with a taint with effect NoSchedule, in order. Mostly none.
  std::vector<std::uint32_t> no_schedule;
};

// The last of its devices has a taint with effect NoSchedule; once for several.
inline void note_no_schedule(ResourceSlice& slice) {
  const auto device = static_cast<std::uint32_t>(slice.devices.size() - 1);
  if (slice.no_schedule.empty() || slice.no_schedule.back() != device)
    slice.no_schedule.push_back(device);
}

// Bytes of memory: of its size and capacities, without the allocator's rounding and interned
// strings.
std::size_t footprint(const ResourceSlice& slice);

}  // namespace dcm::api
