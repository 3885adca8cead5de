// The body of a create of a claim, in protobuf: what encode_claim() makes of a template that came
// so.
#pragma once

#include <string>
#include <string_view>

#include "controllers/api/encode_claim.hpp"

namespace dcm::api::protobuf {

std::string encode_claim(const Resource& claims, const ResourceClaimTemplate& claim_template,
                         std::string_view name, std::string_view generate_name,
                         std::string_view pod_claim_name, const ClaimOwner& owner);

}  // namespace dcm::api::protobuf
