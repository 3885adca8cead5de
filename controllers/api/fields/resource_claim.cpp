#include "controllers/api/resource_claim.hpp"

#include "client/api/json/decoder.hpp"
#include "client/api/protobuf/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::api {
namespace {

// A toleration is copied once it is known to matter.
struct TolerationPart {
  std::string_view key;
  Word operator_;
  std::string_view value_;
  Word effect;
  std::optional<std::int64_t> seconds;
};
constexpr auto fields_of(const TolerationPart*) {
  return rows(row<"key", 1>(&TolerationPart::key), row<"operator", 2>(&TolerationPart::operator_),
              row<"value", 3>(&TolerationPart::value_), row<"effect", 4>(&TolerationPart::effect),
              row<"tolerationSeconds", 5>(&TolerationPart::seconds));
}

bool is_known_operator(std::string_view text) {
  return text.empty() || text == "Equal" || text == "Exists";
}

void take_toleration(const TolerationPart& part, AllocatedDevice& device) {
  if (part.effect != "NoExecute" || !is_known_operator(part.operator_)) return;
  auto& tolerations = device.tolerations;
  if (!tolerations) tolerations = std::make_unique<std::vector<DeviceToleration>>();
  DeviceToleration& toleration = tolerations->emplace_back();
  toleration.key = part.key;
  toleration.operator_ =
      part.operator_ == "Exists" ? TolerationOperator::exists : TolerationOperator::equal;
  toleration.value = part.value_;
  if (part.seconds) toleration.duration.emplace(*part.seconds);
}

void take_requests(DeviceRequests requests, ResourceClaim& claim) {
  claim.has_admin_access = requests.has_admin_access;
}

void set_allocated(ResourceClaim& claim) {
  claim.is_allocated = true;
}

template <class Requests>
constexpr auto claim_rows(Requests requests) {
  const auto tolerations = row<"tolerations", 6>(each<TolerationPart>(take_toleration));
  const auto results = list(&ResourceClaim::devices, result(&AllocatedDevice::id, tolerations));
  return rows(row<"metadata", 1>(claim_metadata<ResourceClaim>()),
              row<"spec", 2>(rows(row<"devices", 1>(one<DeviceRequests>(requests, take_requests)))),
              row<"status", 3>(rows(
                  row<"allocation", 1>(present(
                      set_allocated, rows(row<"devices", 1>(rows(row<"results", 1>(results)))))),
                  row<"reservedFor", 2>(&ResourceClaim::reserved_for))));
}
constexpr auto kClaim = claim_rows(device_requests());
constexpr auto kClaimV1beta1 = claim_rows(device_requests_v1beta1());

struct ClaimFields {
  static constexpr std::string_view kKind = "ResourceClaim";

  bool read_field(std::string_view version, const auto& key, const auto& from,
                  ResourceClaim& claim) const {
    return is_v1beta1(version) ? api::read_field(kClaimV1beta1, key, from, claim)
                               : api::read_field(kClaim, key, from, claim);
  }
  bool is_kept(const ResourceClaim&) const { return true; }
  void complete(ResourceClaim& claim) const {
    claim.devices.shrink_to_fit();
    claim.reserved_for.shrink_to_fit();
  }
};

}  // namespace

std::unique_ptr<Decoder<ResourceClaim>> make_json_claim_decoder(std::string_view version) {
  return json::make_decoder<ResourceClaim>(ClaimFields(), version);
}

std::unique_ptr<Decoder<ResourceClaim>> make_protobuf_claim_decoder() {
  return protobuf::make_decoder<ResourceClaim>(ClaimFields());
}

}  // namespace dcm::api
