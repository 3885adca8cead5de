// How many devices pools have, and how many of them are allocated, unavailable and available; and
// when a request for that gets its answer. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "controllers/resource_pool_status/rules/pool_inputs.hpp"
#include "runtime/error.hpp"

namespace dcm::resource_pool_status {

// All pools that the filter selects, by driver and name. Of a device only what is published now
// counts, and it counts once: as allocated, or else as unavailable if a slice or rule taints it
// with NoSchedule or NoExecute, or else as available.
std::vector<api::PoolStatus> pool_statuses(const PoolFilter& filter, const PoolInputs& inputs);

// Some of its slices are missing.
bool is_incomplete(const api::PoolStatus& pool);

// Whether a request waits for slices that are missing, or has waited long enough.
enum class Patience : std::uint8_t { waits, is_over };
// Slices of some pool in the answer are missing: look again when there is another one.
struct AwaitSlices {};
using StatusStep = std::variant<api::PoolStatusAnswer, AwaitSlices>;
StatusStep decide_status(const api::ResourcePoolStatusRequest& request, const PoolInputs& inputs,
                         Patience patience, runtime::WallTime now);

// API servers up to 1.37 take no pool of generation 0, in which drivers publish most pools that
// have one slice, and refuse the whole answer because of it. Then it is given with generation 1 in
// its place, and says so.
bool refuses_generation_zero(const runtime::Error& error);
api::PoolStatusAnswer without_generation_zero(api::PoolStatusAnswer answer);

// The answer where the inputs could not be read.
api::PoolStatusAnswer failed_status(std::string message, runtime::WallTime now);

}  // namespace dcm::resource_pool_status
