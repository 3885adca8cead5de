// The status of a ResourcePoolStatusRequest as JSON. The rules for all writes are in
// encode_claim.hpp.
#pragma once

#include <span>
#include <string>

#include "client/api/meta.hpp"
#include "controllers/api/resource_pool_status.hpp"

namespace dcm::api {

// The whole status at once: merge patch on the request's `/status`. A request that has changed
// since is a conflict.
std::string encode_pool_status(const ObjectMeta& request, const PoolStatusAnswer& answer);

// `[{"driver": …}, …]`, as in status.pools.
std::string encode_pools(std::span<const PoolStatus> pools);

}  // namespace dcm::api
