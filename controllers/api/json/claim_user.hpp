// The fields that name claims, which pods and pod groups have alike.
#pragma once

#include "client/api/json/reader.hpp"
#include "controllers/api/claim_user.hpp"

namespace dcm::api::json {

// spec.resourceClaims
[[nodiscard]] bool read_claims(Reader& reader, value list, ClaimUser& user);
// status.resourceClaimStatuses
[[nodiscard]] bool read_claim_statuses(Reader& reader, value list, ClaimUser& user);

}  // namespace dcm::api::json
