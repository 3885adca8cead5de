#include "controllers/api/protobuf/claim_user.hpp"

namespace dcm::api::protobuf {

void read_claim(const Field& entry, ClaimSourceNumbers numbers, ClaimUser& user) {
  PodClaim& claim = user.claims.emplace_back();
  each_field(entry, [&](const Field& field) {
    if (field.number() == 1) claim.name = InternedString(field.text());
    if (field.number() == numbers.claim) claim.claim_name = field.text();
    if (field.number() == numbers.claim_template) claim.template_name = field.text();
  });
}

void read_claim_status(const Field& entry, ClaimUser& user) {
  PodClaimStatus& status = user.claim_statuses.emplace_back();
  each_field(entry, [&](const Field& field) {
    if (field.number() == 1) status.name = InternedString(field.text());
    // The server takes no empty name.
    if (field.number() == 2 && !field.bytes().empty()) status.claim_name.emplace(field.text());
  });
}

}  // namespace dcm::api::protobuf
