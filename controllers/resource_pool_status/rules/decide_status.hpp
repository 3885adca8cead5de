// How many devices pools have, and how many of them are allocated, unavailable and available; and
// when a request is answered. Pure.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "controllers/resource_pool_status/rules/pool_inputs.hpp"
#include "runtime/error.hpp"

namespace dcm::resource_pool_status {

// All pools that the filter selects, by driver and name. Only current devices count, each once: as
// allocated, or else as unavailable if a slice or rule taints it with NoSchedule or NoExecute, or
// else as available.
std::vector<api::PoolStatus> pool_statuses(const PoolFilter& filter, const PoolInputs& inputs);

// Whether some of its slices are missing.
bool is_incomplete(const api::PoolStatus& pool);

// Whether a request waits for missing slices, or has waited long enough.
enum class Patience : std::uint8_t { waits, is_over };
// Some pool in the answer lacks slices: decide again when a slice appears.
struct AwaitSlices {};
using StatusStep = std::variant<api::PoolStatusAnswer, AwaitSlices>;
StatusStep decide_status(const api::ResourcePoolStatusRequest& request, const PoolInputs& inputs,
                         Patience patience, runtime::WallTime now);

// API servers up to 1.37 reject pools of generation 0, in which drivers publish most pools of one
// slice, and thus the whole answer. So the answer has generation 1 instead, and says so.
bool refuses_generation_zero(const runtime::Error& error);
api::PoolStatusAnswer without_generation_zero(api::PoolStatusAnswer answer);

// The answer if the inputs could not be read.
api::PoolStatusAnswer failed_status(std::string message, runtime::WallTime now);

}  // namespace dcm::resource_pool_status
