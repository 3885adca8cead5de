// Whether pools can be published: rejects what the API server or schedulers would reject.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "node/driver_kit/slices/pool.hpp"

namespace dcm::driver_kit {

// One line that names the first invalid field: "pool n0: devices[gpu-0].attributes[model]: must …".
// Devices appear by name, not by index. nullopt: the pools can be published.
std::optional<std::string> problem_of(const SliceOwner& owner,
                                      const std::vector<DevicePool>& pools);

}  // namespace dcm::driver_kit
