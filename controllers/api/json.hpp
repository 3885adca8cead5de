// The JSON decoders (simdjson, on demand).
#pragma once

#include <memory>

#include "client/api/decoder.hpp"
#include "client/api/resource.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/pod_group.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_slice.hpp"

namespace dcm::api {

// Which pods are decoded as objects; of the others only the identity is kept.
enum class PodSelection { of_interest, all };

// Whether templates are decoded with what claims are made from. A cache keeps it where it is small
// (a template's 16 KiB at most, and 32 MiB of all that one decoder has made); of the others it
// knows the size.
enum class TemplateContent { where_small, all };

// One for each kind. `version` is the API version that discovery chose: v1beta1 has `adminAccess`
// directly in a request.
std::unique_ptr<Decoder<Pod>> make_json_pod_decoder(
    PodSelection selection = PodSelection::of_interest);
std::unique_ptr<Decoder<ResourceClaim>> make_json_claim_decoder(std::string_view version);
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_json_template_decoder(
    std::string_view version, TemplateContent content = TemplateContent::where_small);
// v1beta1 has a device's taints below `basic`.
std::unique_ptr<Decoder<ResourceSlice>> make_json_slice_decoder(std::string_view version);
std::unique_ptr<Decoder<DeviceTaintRule>> make_json_rule_decoder();
std::unique_ptr<Decoder<PodGroup>> make_json_group_decoder();

}  // namespace dcm::api
