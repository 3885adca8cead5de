// The fields that name claims, which pods and pod groups have alike, under numbers of their own.
#pragma once

#include "client/api/protobuf/field.hpp"
#include "controllers/api/claim_user.hpp"

namespace dcm::api::protobuf {

// Which fields of an entry of spec.resourceClaims name its source.
struct ClaimSourceNumbers {
  std::uint32_t claim;
  std::uint32_t claim_template;
};

// An entry of spec.resourceClaims.
void read_claim(const Field& entry, ClaimSourceNumbers numbers, ClaimUser& user);
// An entry of status.resourceClaimStatuses.
void read_claim_status(const Field& entry, ClaimUser& user);

}  // namespace dcm::api::protobuf
