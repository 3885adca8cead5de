// Whether pools can be published: what the API server would refuse, and what schedulers would.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "node/driver_kit/slices/pool.hpp"

namespace dcm::driver_kit {

// One line that names the first field with a fault: "pool n0: devices[gpu-0].attributes[model]:
// must …". Devices are named by their names. Nothing: the pools can be published.
std::optional<std::string> problem_of(const SliceOwner& owner,
                                      const std::vector<DevicePool>& pools);

}  // namespace dcm::driver_kit
