// resource.k8s.io ResourceSlice (KEP-4381), projected to which devices there are and which taints
// on them evict.
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
  std::vector<PublishedDevice> devices;
};

// Bytes of memory: of its size and capacities, without the allocator's rounding and interned
// strings.
std::size_t footprint(const ResourceSlice& slice);

}  // namespace dcm::api
