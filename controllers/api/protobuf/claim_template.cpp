#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/protobuf/parts.hpp"

namespace dcm::api {
namespace {

using protobuf::each_field;
using protobuf::Field;

void read_claim_metadata(const Field& metadata, ResourceClaimTemplate& result) {
  each_field(metadata, [&](const Field& field) {
    const bool is_label = field.number() == protobuf::kLabels;
    if (!is_label && field.number() != protobuf::kAnnotations) return;
    protobuf::read_entry(field, [&](std::string_view key, std::string_view value) {
      (is_label ? result.labels : result.annotations)[std::string(key)] = value;
    });
  });
}

class TemplateFields {
 public:
  static constexpr std::string_view kKind = "ResourceClaimTemplate";

  explicit TemplateFields(TemplateBudget budget) : budget_(std::move(budget)) {}

  void read_field(const Field& field, std::string_view api_version,
                  ResourceClaimTemplate& result) const {
    if (field.number() == 1) protobuf::read_metadata(field, result.meta);
    if (field.number() == 2) read_spec(field, api_version, result);
  }
  bool is_kept(const ResourceClaimTemplate&) const { return true; }
  void complete(ResourceClaimTemplate& result) const { budget_.settle(result); }

 private:
  static void read_spec(const Field& spec, std::string_view api_version,
                        ResourceClaimTemplate& result) {
    result.claim_spec = {{}, Format::protobuf};
    each_field(spec, [&](const Field& field) {
      if (field.number() == 1) read_claim_metadata(field, result);
      if (field.number() != 2) return;
      const auto requests = protobuf::read_claim_spec(field, api_version);
      result.claim_spec.bytes = field.bytes();
      result.uses_admin_access = requests.has_admin_access;
      result.uses_prioritized_list = requests.has_prioritized_list;
    });
  }

  TemplateBudget budget_;
};

}  // namespace

std::unique_ptr<Decoder<ResourceClaimTemplate>> make_protobuf_template_decoder(
    TemplateBudget budget) {
  return std::make_unique<protobuf::ProtobufDecoder<ResourceClaimTemplate, TemplateFields>>(
      TemplateFields(std::move(budget)));
}

}  // namespace dcm::api
