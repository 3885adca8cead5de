// resource.k8s.io ResourceSlice (KEP-4381), projected to which devices there are and which taints
// on them evict.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "client/api/device.hpp"
#include "client/api/meta.hpp"

namespace dcm::api {

struct PublishedDevice {
  InternedString name;
  // Those with effect NoExecute, in order; null: none, as nearly always.
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

}  // namespace dcm::api
