#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/protobuf.hpp"
#include "controllers/api/protobuf/claim_user.hpp"

namespace dcm::api {
namespace {

using protobuf::each_field;
using protobuf::Field;

constexpr protobuf::ClaimSourceNumbers kSources{.claim = 2, .claim_template = 3};

// The number of spec.resourceClaims.
std::uint32_t claims_number(std::string_view api_version) {
  return api_version.ends_with("/v1alpha2") ? 4 : 5;
}

struct GroupFields {
  void read_field(const Field& field, std::string_view api_version, PodGroup& group) const {
    if (field.number() == 1) protobuf::read_metadata(field, group.meta);
    if (field.number() == 2) {
      each_field(field, [&](const Field& part) {
        if (part.number() != claims_number(api_version)) return;
        protobuf::read_claim(part, kSources, group);
      });
    }
    if (field.number() != 3) return;
    each_field(field, [&](const Field& part) {
      if (part.number() == 2) protobuf::read_claim_status(part, group);
    });
  }
  // Also one without claims: whether there is a group of that name matters to its pods.
  bool is_kept(const PodGroup&) const { return true; }
};

}  // namespace

std::unique_ptr<Decoder<PodGroup>> make_protobuf_group_decoder() {
  return std::make_unique<protobuf::ProtobufDecoder<PodGroup, GroupFields>>();
}

}  // namespace dcm::api
