// When a taint evicts a pod from a device (KEP-5055). Pure.
#pragma once

#include <optional>
#include <vector>

#include "controllers/api/device.hpp"
#include "runtime/time.hpp"

namespace dcm::device_taint_eviction {

using runtime::WallTime;

// Whether the taint evicts at all: it has effect NoExecute and a time set by the API server.
bool evicts(const api::DeviceTaint& taint);

// nullopt: the taint is tolerated forever, or does not evict. `tolerations` are those of the
// allocated device (null: none); of several that match, the shortest counts, unless one is
// unlimited. A time beyond the clock's range is WallTime::max().
std::optional<WallTime> due_of_taint(const api::DeviceTaint& taint,
                                     const std::vector<api::DeviceToleration>* tolerations);

}  // namespace dcm::device_taint_eviction
