// The JSON decoders (simdjson, on demand).
#pragma once

#include <memory>
#include <string_view>

#include "controllers/api/decoders.hpp"
#include "controllers/api/fields.hpp"

namespace dcm::api {

// As those of decoders.hpp.
std::unique_ptr<Decoder<Pod>> make_json_pod_decoder(
    PodSelection selection = PodSelection::of_interest);
std::unique_ptr<Decoder<ResourceClaim>> make_json_claim_decoder(std::string_view version);
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_json_template_decoder(
    std::string_view version, TemplateBudget budget = TemplateBudget(TemplateContent::where_small));
std::unique_ptr<Decoder<ResourceSlice>> make_json_slice_decoder(std::string_view version);
std::unique_ptr<Decoder<DeviceTaintRule>> make_json_rule_decoder();
std::unique_ptr<Decoder<PodGroup>> make_json_group_decoder();

}  // namespace dcm::api
