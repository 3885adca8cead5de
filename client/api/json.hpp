// The JSON decoders (simdjson, on demand).
#pragma once

#include <memory>

#include "client/api/decoder.hpp"
#include "client/api/pod.hpp"
#include "client/api/resource.hpp"
#include "client/api/resource_claim.hpp"
#include "client/api/resource_claim_template.hpp"

namespace dcm::api {

// One for each kind. `version` is the API version that discovery chose: v1beta1 has `adminAccess`
// directly in a request.
std::unique_ptr<Decoder<Pod>> make_json_pod_decoder();
std::unique_ptr<Decoder<ResourceClaim>> make_json_claim_decoder(std::string_view version);
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_json_template_decoder(
    std::string_view version);

}  // namespace dcm::api
