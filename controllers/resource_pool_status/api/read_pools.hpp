// Reads the inputs of a pool's status: once, without a cache.
#pragma once

#include "client/request/rest_client.hpp"
#include "controllers/resource_pool_status/rules/pool_inputs.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_pool_status {

// Whether DeviceTaintRules count (the feature gate DRADeviceTaintRules).
enum class TaintRules : std::uint8_t { count, are_ignored };

// Lists the slices of the driver (and pool, where the API server selects by it), then all claims,
// then the rules, each in the version that is served now. In this order, the slices of devices that
// are allocated meanwhile have been read. Errors begin with the kind that could not be read:
// "ResourceSlices: …". `rest` must outlive the task.
runtime::Task<runtime::Result<PoolInputs>> read_pools(client::RestClient& rest, PoolFilter filter,
                                                      TaintRules rules,
                                                      client::CallOptions options);

}  // namespace dcm::resource_pool_status
