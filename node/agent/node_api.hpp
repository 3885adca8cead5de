// The agent's requests to the API server: only requests that `system:node` may make for DRA.
#pragma once

#include <string>

#include "node/claims/ports.hpp"

namespace dcm::node {

class NodeApi : public ClaimSource {
 public:
  // DELETE of the ResourceSlices that match a field selector. Succeeds if there are none.
  virtual runtime::Task<runtime::Result<>> delete_slices(std::string field_selector) = 0;
};

}  // namespace dcm::node
