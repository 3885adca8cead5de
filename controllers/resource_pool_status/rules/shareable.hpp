// The remaining capacity of a pool's devices that several claims may share (KEP-5075).
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "controllers/resource_pool_status/rules/pool_devices.hpp"

namespace dcm::resource_pool_status {

// Sums over these devices of each capacity, by name. nullopt if the pool has no such device. The
// error begins with a keyword for programs.
using Shareable = std::expected<std::optional<api::ShareableStatus>, std::string>;
Shareable sum_shareable(const PoolDevices& pool, const allocation::Usage& usage);

}  // namespace dcm::resource_pool_status
