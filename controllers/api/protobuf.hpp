// The decoders of Kubernetes' protobuf (protozero). Which numbers the fields have is in the
// generated.proto of k8s.io/api; the envelope says of which version an object is.
#pragma once

#include <memory>

#include "controllers/api/decoders.hpp"
#include "controllers/api/fields.hpp"

namespace dcm::api {

// As those of decoders.hpp.
std::unique_ptr<Decoder<Pod>> make_protobuf_pod_decoder(
    PodSelection selection = PodSelection::of_interest);
std::unique_ptr<Decoder<ResourceClaim>> make_protobuf_claim_decoder();
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_protobuf_template_decoder(
    TemplateBudget budget = TemplateBudget(TemplateContent::where_small));
std::unique_ptr<Decoder<ResourceSlice>> make_protobuf_slice_decoder();
std::unique_ptr<Decoder<DeviceTaintRule>> make_protobuf_rule_decoder();
std::unique_ptr<Decoder<PodGroup>> make_protobuf_group_decoder();

}  // namespace dcm::api
