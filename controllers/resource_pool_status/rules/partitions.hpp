// How many more partitions of each type a pool could provide with its remaining counters
// (KEP-4815).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "controllers/resource_pool_status/rules/pool_devices.hpp"

namespace dcm::resource_pool_status {

// The API's limit of rows, also for shareable capacities.
inline constexpr std::size_t kRowsMax = 32;

// By attribute and type. Empty if no attribute groups the pool's devices, or none of them consumes
// counters. Each type is measured alone: as if only devices of that type were allocated from now
// on. The error begins with a keyword for programs.
using Partitions = std::expected<std::vector<api::PartitionTypeStatus>, std::string>;
Partitions count_partitions(const PoolDevices& pool, const PoolFilter& filter,
                            const allocation::Usage& usage);

}  // namespace dcm::resource_pool_status
