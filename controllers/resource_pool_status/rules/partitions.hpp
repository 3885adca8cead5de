// How many more partitions of each type a pool could give, with what is left of its counters
// (KEP-4815).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "controllers/resource_pool_status/rules/pool_devices.hpp"

namespace dcm::resource_pool_status {

// The most rows that the API takes, here and of shareable capacities.
inline constexpr std::size_t kRowsMax = 32;

// By attribute and type. Empty: nothing says how the pool's devices are grouped, or none of them
// consumes counters. The types are measured one by one: each as if only devices of that type were
// allocated from now on. The error begins with a word for programs.
using Partitions = std::expected<std::vector<api::PartitionTypeStatus>, std::string>;
Partitions count_partitions(const PoolDevices& pool, const PoolFilter& filter,
                            const allocation::Usage& usage);

}  // namespace dcm::resource_pool_status
