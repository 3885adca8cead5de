// When a taint drives a pod off a device (KEP-5055). Pure.
#pragma once

#include <optional>
#include <vector>

#include "controllers/api/device.hpp"
#include "runtime/time.hpp"

namespace dcm::device_taint_eviction {

using runtime::WallTime;

// Whether the taint evicts at all: effect NoExecute, and the API server has said since when.
bool evicts(const api::DeviceTaint& taint);

// Nothing: the taint is tolerated for ever, or does not evict. `tolerations` are those of the
// allocated device (null: none); of several that fit, the shortest counts, unless one is for ever.
// A time beyond the clock's range is WallTime::max().
std::optional<WallTime> decide_due(const api::DeviceTaint& taint,
                                   const std::vector<api::DeviceToleration>* tolerations);

}  // namespace dcm::device_taint_eviction
