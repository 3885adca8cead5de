#include "controllers/api/pod.hpp"

#include "client/api/json/decoder.hpp"
#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::api {
namespace {

struct PodCondition {
  Word type;
  Word status;
  Word reason;
  Word message;
};
constexpr auto fields_of(const PodCondition*) {
  return rows(row<"type", 1>(&PodCondition::type), row<"status", 2>(&PodCondition::status),
              row<"reason", 5>(&PodCondition::reason), row<"message", 6>(&PodCondition::message));
}

void take_condition(const PodCondition& condition, Pod& pod) {
  if (condition.type != kDisruptionTarget || condition.status != "True") return;
  const bool is_ours = condition.reason == kDeviceTaintDisruptionReason &&
                       condition.message == kDeviceTaintDisruptionMessage;
  pod.disruption_target = is_ours ? DisruptionTarget::by_device_taint : DisruptionTarget::other;
}

constexpr auto kPod =
    rows(row<"metadata", 1>(user_metadata()),
         row<"spec", 2>(rows(
             row<"nodeName", 10>(&Pod::node_name), row<"resourceClaims", 39>(pod_claims()),
             row<"schedulingGroup", 43>(rows(row<"podGroupName", 1>(&Pod::scheduling_group))))),
         row<"status", 3>(rows(
             row<"phase", 1>(&Pod::phase), row<"conditions", 2>(each<PodCondition>(take_condition)),
             row<"resourceClaimStatuses", 15>(pod_claim_statuses()),
             row<"extendedResourceClaimStatus", 18>(
                 rows(row<"resourceClaimName", 2>(&Pod::extended_resource_claim))))));

struct PodFields {
  static constexpr std::string_view kKind = "Pod";

  bool read_field(std::string_view, const auto& key, const auto& from, Pod& pod) const {
    return api::read_field(kPod, key, from, pod);
  }
  bool is_kept(const Pod& pod) const {
    return selection == PodSelection::all || pod.is_of_interest();
  }
  void complete(Pod& pod) const { sort_claim_statuses(pod); }

  PodSelection selection;
};

// `kClaims` is the field number of spec.resourceClaims.
template <std::uint32_t kClaims>
constexpr auto kGroupRows =
    rows(row<"metadata", 1>(user_metadata()),
         row<"spec", 2>(rows(row<"resourceClaims", kClaims>(pod_claims<2, 3>()))),
         row<"status", 3>(rows(row<"resourceClaimStatuses", 2>(pod_claim_statuses()))));

struct GroupFields {
  static constexpr std::string_view kKind = "PodGroup";

  bool read_field(std::string_view version, const auto& key, const auto& from,
                  PodGroup& group) const {
    return version.ends_with("/v1alpha2") ? api::read_field(kGroupRows<4>, key, from, group)
                                          : api::read_field(kGroupRows<5>, key, from, group);
  }
  // Kept even without claims: its pods need to know whether the group exists.
  bool is_kept(const PodGroup&) const { return true; }
  void complete(PodGroup& group) const { sort_claim_statuses(group); }
};

}  // namespace

std::unique_ptr<Decoder<Pod>> make_json_pod_decoder(PodSelection selection) {
  return json::make_decoder<Pod>(PodFields{selection});
}

std::unique_ptr<Decoder<Pod>> make_protobuf_pod_decoder(PodSelection selection) {
  return protobuf::make_decoder<Pod>(PodFields{selection});
}

std::unique_ptr<Decoder<PodGroup>> make_json_group_decoder() {
  return json::make_decoder<PodGroup>(GroupFields());
}

std::unique_ptr<Decoder<PodGroup>> make_protobuf_group_decoder() {
  return protobuf::make_decoder<PodGroup>(GroupFields());
}

}  // namespace dcm::api
