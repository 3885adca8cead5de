#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/protobuf/parts.hpp"

namespace dcm::api {
namespace {

using protobuf::each_field;
using protobuf::Field;

constexpr protobuf::ClaimSourceNumbers kSources{.claim = 3, .claim_template = 4};

void read_spec(const Field& spec, Pod& pod) {
  each_field(spec, [&](const Field& field) {
    if (field.number() == 10) pod.node_name = InternedString(field.text());
    if (field.number() == 39) protobuf::read_claim(field, kSources, pod);
    if (field.number() != 43) return;
    each_field(field, [&](const Field& part) {
      if (part.number() == 1) pod.scheduling_group = InternedString(part.text());
    });
  });
}

void read_condition(const Field& from, Pod& pod) {
  PodConditionView condition;
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) condition.type = field.bytes();
    if (field.number() == 2) condition.status = field.bytes();
    if (field.number() == 5) condition.reason = field.bytes();
    if (field.number() == 6) condition.message = field.bytes();
  });
  apply(condition, pod);
}

void read_status(const Field& status, Pod& pod) {
  each_field(status, [&](const Field& field) {
    if (field.number() == 1) pod.phase = phase_of(field.bytes());
    if (field.number() == 2) read_condition(field, pod);
    if (field.number() == 15) protobuf::read_claim_status(field, pod);
    if (field.number() != 18) return;
    each_field(field, [&](const Field& part) {
      if (part.number() == 2) pod.extended_resource_claim = part.text();
    });
  });
  sort_claim_statuses(pod);
}

struct PodFields {
  static constexpr std::string_view kKind = "Pod";

  void read_field(const Field& field, std::string_view, Pod& pod) const {
    if (field.number() == 1) protobuf::read_metadata(field, pod);
    if (field.number() == 2) read_spec(field, pod);
    if (field.number() == 3) read_status(field, pod);
  }
  bool is_kept(const Pod& pod) const {
    return selection == PodSelection::all || pod.is_of_interest();
  }

  PodSelection selection;
};

}  // namespace

std::unique_ptr<Decoder<Pod>> make_protobuf_pod_decoder(PodSelection selection) {
  return std::make_unique<protobuf::ProtobufDecoder<Pod, PodFields>>(PodFields{selection});
}

namespace {

constexpr protobuf::ClaimSourceNumbers kGroupSources{.claim = 2, .claim_template = 3};

// The number of spec.resourceClaims.
std::uint32_t claims_number(std::string_view api_version) {
  return api_version.ends_with("/v1alpha2") ? 4 : 5;
}

struct GroupFields {
  static constexpr std::string_view kKind = "PodGroup";

  void read_field(const Field& field, std::string_view api_version, PodGroup& group) const {
    if (field.number() == 1) protobuf::read_metadata(field, group);
    if (field.number() == 2) {
      each_field(field, [&](const Field& part) {
        if (part.number() != claims_number(api_version)) return;
        protobuf::read_claim(part, kGroupSources, group);
      });
    }
    if (field.number() != 3) return;
    each_field(field, [&](const Field& part) {
      if (part.number() == 2) protobuf::read_claim_status(part, group);
    });
    sort_claim_statuses(group);
  }
  // Kept even without claims: its pods need to know whether the group exists.
  bool is_kept(const PodGroup&) const { return true; }
};

}  // namespace

std::unique_ptr<Decoder<PodGroup>> make_protobuf_group_decoder() {
  return std::make_unique<protobuf::ProtobufDecoder<PodGroup, GroupFields>>();
}

}  // namespace dcm::api
