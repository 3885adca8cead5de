// Which ResourceSlices a driver must create, change and delete so that the cluster sees its devices
// as complete pools (KEP-4381). Pure. The rules are the Go helper's, so that each can continue
// with slices that the other has published.
#pragma once

#include <vector>

#include <boost/json/object.hpp>

#include "node/driver_kit/slices/accepted.hpp"
#include "node/driver_kit/slices/pool.hpp"

namespace dcm::driver_kit {

// Whole ResourceSlices, to be written in this order: a device that is gone must not be allocated
// because another write failed.
struct SlicePlan {
  std::vector<boost::json::object> obsolete;
  std::vector<boost::json::object> updates;
  std::vector<boost::json::object> creates;

  bool empty() const noexcept { return obsolete.empty() && updates.empty() && creates.empty(); }
};

// `published`: all slices of this driver and node. A taint keeps the time at which it was added,
// unless the driver sets one, even if its device moves to another slice.
SlicePlan plan_slices(const SliceOwner& owner, const std::vector<DevicePool>& pools,
                      const std::vector<boost::json::object>& published,
                      const AcceptedSlices& accepted);

}  // namespace dcm::driver_kit
