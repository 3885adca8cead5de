// The common part of pods and pod groups: both name the claims that they use, and templates from
// which claims are generated for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/api/meta.hpp"

namespace dcm::api {

// An entry of spec.resourceClaims of a pod or pod group. Exactly one source is set in the APIs that
// we know; neither in one that is newer.
struct PodClaim {
  InternedString name;
  InternedString claim_name;     // resourceClaimName
  InternedString template_name;  // resourceClaimTemplateName

  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

// An entry of status.resourceClaimStatuses. Without a claim name, no claim is needed.
struct PodClaimStatus {
  InternedString name;
  std::optional<std::string> claim_name;

  friend bool operator==(const PodClaimStatus&, const PodClaimStatus&) = default;
};

struct ClaimUser {
  ObjectMeta meta;
  std::vector<PodClaim> claims;
  std::vector<PodClaimStatus> claim_statuses;
};

}  // namespace dcm::api
