// resource.k8s.io ResourceSlice (KEP-4381), projected to its devices, their evicting taints, and
// the data for device counts.
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
  // The taints with effect NoExecute, in order. Null if none, which is the usual case.
  std::unique_ptr<const std::vector<DeviceTaint>> taints;

  friend bool operator==(const PublishedDevice& a, const PublishedDevice& b) {
    if (!a.taints || !b.taints) return a.name == b.name && a.taints == b.taints;
    return a.name == b.name && *a.taints == *b.taints;
  }
};

struct ResourceSlice {
  ObjectMeta meta;
  InternedString driver;
  InternedString pool;
  // Only the slices of a pool's highest generation count.
  std::int64_t pool_generation = 0;
  std::int64_t pool_slices = 0;  // of the pool in this generation
  std::vector<PublishedDevice> devices;
  // Indexes of the devices that have a taint with effect NoSchedule, in order. Usually empty.
  std::vector<std::uint32_t> no_schedule;

  friend bool operator==(const ResourceSlice&, const ResourceSlice&) = default;
};

// Records that the last device has a taint with effect NoSchedule. Repeated calls have no effect.
inline void note_no_schedule(ResourceSlice& slice) {
  const auto device = static_cast<std::uint32_t>(slice.devices.size() - 1);
  if (slice.no_schedule.empty() || slice.no_schedule.back() != device)
    slice.no_schedule.push_back(device);
}

std::size_t footprint(const ResourceSlice& slice);

}  // namespace dcm::api
