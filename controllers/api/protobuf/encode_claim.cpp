#include "controllers/api/encode_claim.hpp"

#include <protozero/pbf_writer.hpp>

#include "client/api/protobuf/envelope.hpp"

namespace dcm::api::protobuf {
namespace {

using protozero::pbf_writer;

// Field numbers of ObjectMeta.
constexpr std::uint32_t kLabels = 11;
constexpr std::uint32_t kAnnotations = 12;
constexpr std::uint32_t kOwnerReferences = 13;

void add_text(pbf_writer& message, std::uint32_t number, std::string_view text) {
  message.add_string(number, text.data(), text.size());
}

void add_entry(pbf_writer& metadata, std::uint32_t number, std::string_view key,
               std::string_view value) {
  pbf_writer entry(metadata, number);
  add_text(entry, 1, key);
  add_text(entry, 2, value);
}

void add_owner(pbf_writer& metadata, const ClaimOwner& owner) {
  pbf_writer reference(metadata, kOwnerReferences);
  add_text(reference, 1, owner.kind);
  add_text(reference, 3, owner.name);
  add_text(reference, 4, owner.uid.str());
  add_text(reference, 5, owner.api_version);
  reference.add_bool(6, true);  // controller
}

}  // namespace

std::string encode_claim(const Resource& claims, const ResourceClaimTemplate& claim_template,
                         std::string_view name, std::string_view generate_name,
                         std::string_view pod_claim_name, const ClaimOwner& owner) {
  std::string bytes;
  bytes.reserve(claim_template.content_bytes + 512);
  pbf_writer claim(bytes);
  {
    pbf_writer metadata(claim, 1);
    add_text(metadata, 1, name);
    add_text(metadata, 2, generate_name);
    for (const auto& [key, value] : claim_template.labels) {
      add_entry(metadata, kLabels, key, value);
    }
    for (const auto& [key, value] : claim_template.annotations) {
      if (key != kPodClaimNameAnnotation) add_entry(metadata, kAnnotations, key, value);
    }
    add_entry(metadata, kAnnotations, kPodClaimNameAnnotation, pod_claim_name);
    add_owner(metadata, owner);
  }
  claim.add_bytes(2, claim_template.claim_spec.bytes);
  return wrap(claims.api_version(), claims.kind->kind, bytes);
}

}  // namespace dcm::api::protobuf
