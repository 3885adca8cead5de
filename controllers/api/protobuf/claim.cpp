#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/protobuf/parts.hpp"

namespace dcm::api {
namespace {

using protobuf::each_field;
using protobuf::Field;

void read_owner(const Field& from, ResourceClaim& claim) {
  OwnerView owner;
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) owner.kind = field.text();
    if (field.number() == 3) owner.name = field.text();
    if (field.number() == 4) owner.uid = field.text();
    if (field.number() == 5) owner.api_version = field.text();
    if (field.number() == 6) owner.is_controller = field.flag();
  });
  apply(owner, claim);
}

void read_claim_metadata(const Field& metadata, ResourceClaim& claim) {
  protobuf::read_metadata(metadata, claim.meta, [&](const Field& field) {
    if (field.number() == protobuf::kOwnerReferences) read_owner(field, claim);
    if (field.number() == protobuf::kFinalizers) apply_finalizer(field.bytes(), claim);
    if (field.number() != protobuf::kAnnotations) return;
    protobuf::read_entry(field, [&](std::string_view key, std::string_view value) {
      apply_annotation(key, value, claim);
    });
  });
}

void read_consumer(const Field& from, ConsumerReference& consumer) {
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) consumer.group = InternedString(field.text());
    if (field.number() == 3) consumer.resource = InternedString(field.text());
    if (field.number() == 4) consumer.name = field.text();
    if (field.number() == 5) consumer.uid = Uid(field.text());
  });
}

void read_result(const Field& from, AllocatedDevice& device) {
  std::vector<DeviceToleration> tolerations;
  each_field(from, [&](const Field& field) {
    if (field.number() == 2) device.id.driver = InternedString(field.text());
    if (field.number() == 3) device.id.pool = InternedString(field.text());
    if (field.number() == 4) device.id.device = InternedString(field.text());
    if (field.number() == 6) protobuf::read_toleration(field, tolerations);
  });
  device.tolerations = if_any(std::move(tolerations));
}

void read_allocation(const Field& allocation, ResourceClaim& claim) {
  claim.is_allocated = true;
  each_field(allocation, [&](const Field& devices) {
    if (devices.number() != 1) return;
    each_field(devices, [&](const Field& result) {
      if (result.number() == 1) read_result(result, claim.devices.emplace_back());
    });
  });
}

void read_status(const Field& status, ResourceClaim& claim) {
  each_field(status, [&](const Field& field) {
    if (field.number() == 1) read_allocation(field, claim);
    if (field.number() == 2) read_consumer(field, claim.reserved_for.emplace_back());
  });
}

struct ClaimFields {
  static constexpr std::string_view kKind = "ResourceClaim";

  void read_field(const Field& field, std::string_view api_version, ResourceClaim& claim) const {
    if (field.number() == 1) read_claim_metadata(field, claim);
    if (field.number() == 2) {
      claim.has_admin_access = protobuf::read_claim_spec(field, api_version).has_admin_access;
    }
    if (field.number() == 3) read_status(field, claim);
  }
  bool is_kept(const ResourceClaim&) const { return true; }
  void complete(ResourceClaim& claim) const {
    claim.devices.shrink_to_fit();
    claim.reserved_for.shrink_to_fit();
  }
};

}  // namespace

std::unique_ptr<Decoder<ResourceClaim>> make_protobuf_claim_decoder() {
  return std::make_unique<protobuf::ProtobufDecoder<ResourceClaim, ClaimFields>>();
}

}  // namespace dcm::api
