#include "controllers/api/decoders.hpp"

#include "client/api/negotiated_decoder.hpp"

namespace dcm::api {

std::unique_ptr<Decoder<Pod>> make_pod_decoder(Format format, PodSelection selection) {
  return negotiate(format, make_protobuf_pod_decoder(selection), make_json_pod_decoder(selection));
}

std::unique_ptr<Decoder<ResourceClaim>> make_claim_decoder(Format format,
                                                           std::string_view version) {
  return negotiate(format, make_protobuf_claim_decoder(), make_json_claim_decoder(version));
}

std::unique_ptr<Decoder<ResourceClaimTemplate>> make_template_decoder(Format format,
                                                                      std::string_view version,
                                                                      TemplateContent content) {
  const TemplateBudget budget(content);
  return negotiate(format, make_protobuf_template_decoder(budget),
                   make_json_template_decoder(version, budget));
}

std::unique_ptr<Decoder<ResourceSlice>> make_slice_decoder(Format format,
                                                           std::string_view version) {
  return negotiate(format, make_protobuf_slice_decoder(), make_json_slice_decoder(version));
}

std::unique_ptr<Decoder<DeviceTaintRule>> make_rule_decoder(Format format) {
  return negotiate(format, make_protobuf_rule_decoder(), make_json_rule_decoder());
}

std::unique_ptr<Decoder<PodGroup>> make_group_decoder(Format format) {
  return negotiate(format, make_protobuf_group_decoder(), make_json_group_decoder());
}

}  // namespace dcm::api
