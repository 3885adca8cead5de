// core/v1 Pod, projected to what the controllers read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/api/meta.hpp"

namespace dcm::api {

// The condition DisruptionTarget (KEP-3329) as eviction because of a device taint writes it.
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
inline constexpr std::string_view kDeviceTaintDisruptionReason = "DeletionByDeviceTaintManager";
inline constexpr std::string_view kDeviceTaintDisruptionMessage =
    "Device Taint manager: deleting due to NoExecute taint";

// What the condition says.
enum class DisruptionTarget : std::uint8_t {
  none,             // there is none, or it is not True
  other,            // True, for another reason or with another message
  by_device_taint,  // True, exactly as above
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

// An entry of spec.resourceClaims. Exactly one source is set in the APIs that we know; neither in
// one that is newer.
struct PodClaim {
  InternedString name;
  std::string claim_name;     // resourceClaimName
  std::string template_name;  // resourceClaimTemplateName

  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

// An entry of status.resourceClaimStatuses. Without a claim name, no claim is needed.
struct PodClaimStatus {
  InternedString name;
  std::optional<std::string> claim_name;

  friend bool operator==(const PodClaimStatus&, const PodClaimStatus&) = default;
};

struct Pod {
  ObjectMeta meta;
  InternedString node_name;         // spec.nodeName
  InternedString scheduling_group;  // spec.schedulingGroup.podGroupName
  PodPhase phase = PodPhase::pending;
  DisruptionTarget disruption_target = DisruptionTarget::none;
  std::vector<PodClaim> claims;
  std::vector<PodClaimStatus> claim_statuses;
  std::string extended_resource_claim;  // status.extendedResourceClaimStatus.resourceClaimName

  // Whether the controllers have any business with it. A pod that is of no interest is not kept.
  bool is_of_interest() const { return !claims.empty() || !extended_resource_claim.empty(); }
};

}  // namespace dcm::api
