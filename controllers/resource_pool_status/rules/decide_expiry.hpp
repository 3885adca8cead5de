// When a request has been kept long enough. Pure.
#pragma once

#include <chrono>

#include "controllers/api/resource_pool_status.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_pool_status {

inline constexpr runtime::Duration kKeepAnswered = std::chrono::hours(1);
inline constexpr runtime::Duration kKeepPending = std::chrono::hours(24);

// Counts from the answer, or from the creation of a request that has none.
bool is_expired(const api::ResourcePoolStatusRequest& request, runtime::WallTime now);

}  // namespace dcm::resource_pool_status
