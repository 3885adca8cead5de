// The decoders of the kinds of dynamic resource allocation, for the format that is wished for: from
// a server that has no protobuf of a kind, JSON is read as well.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/pod_group.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_slice.hpp"

namespace dcm::api {

// Which pods are decoded as objects; of the others only the identity is kept.
enum class PodSelection : std::uint8_t { of_interest, all };

// Whether templates are decoded with what claims are made from. A cache keeps it where it is small
// (a template's 16 KiB at most, and 32 MiB of all that one decoder has made); of the others it
// knows the size.
enum class TemplateContent : std::uint8_t { where_small, all };

// One for each kind. `version` is the API version that discovery chose: v1beta1 has `adminAccess`
// directly in a request, and a device's taints below `basic`.
std::unique_ptr<Decoder<Pod>> make_pod_decoder(Format wished,
                                               PodSelection selection = PodSelection::of_interest);
std::unique_ptr<Decoder<ResourceClaim>> make_claim_decoder(Format wished, std::string_view version);
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_template_decoder(
    Format wished, std::string_view version,
    TemplateContent content = TemplateContent::where_small);
std::unique_ptr<Decoder<ResourceSlice>> make_slice_decoder(Format wished, std::string_view version);
std::unique_ptr<Decoder<DeviceTaintRule>> make_rule_decoder(Format wished);
std::unique_ptr<Decoder<PodGroup>> make_group_decoder(Format wished);

}  // namespace dcm::api
