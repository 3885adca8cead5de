#include "controllers/resource_pool_status/rules/decide_expiry.hpp"

namespace dcm::resource_pool_status {

bool is_expired(const api::ResourcePoolStatusRequest& request, runtime::WallTime now) {
  const std::optional<runtime::WallTime> since =
      request.answered ? request.answered : request.created;
  // Compared without adding: a time written by a client may be near the clock's maximum.
  return since && *since < now - (request.has_status ? kKeepAnswered : kKeepPending);
}

}  // namespace dcm::resource_pool_status
