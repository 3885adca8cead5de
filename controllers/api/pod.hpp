// core/v1 Pod and scheduling.k8s.io PodGroup (KEP-4671), projected to what the controllers read.
// Both name claims, and templates from which claims are generated; a group names the claims that
// its pods share (KEP-5729).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "client/api/meta.hpp"
#include "runtime/time.hpp"
#include "runtime/usually_one.hpp"

namespace dcm::api {

// An entry of spec.resourceClaims of a pod or pod group. In the known APIs exactly one source is
// set; in a newer API, perhaps neither.
struct PodClaim {
  InternedString name;
  InternedString claim_name;     // resourceClaimName
  InternedString template_name;  // resourceClaimTemplateName

  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

// An entry of status.resourceClaimStatuses. Without a claim name, no claim is needed.
struct PodClaimStatus {
  InternedString name;
  std::optional<InternedString> claim_name;

  friend bool operator==(const PodClaimStatus&, const PodClaimStatus&) = default;
};

using runtime::UsuallyOne;

struct ClaimUser {
  ObjectMeta meta;
  runtime::WallTime created{};  // metadata.creationTimestamp, in whole seconds
  UsuallyOne<PodClaim> claims;
  UsuallyOne<PodClaimStatus> claim_statuses;  // sorted by name: see sort_claim_statuses

  friend bool operator==(const ClaimUser&, const ClaimUser&) = default;
};

// Call it after changing `claim_statuses`. A pod may have thousands, and one is looked up for each
// of its pod claims.
void sort_claim_statuses(ClaimUser& user);

// The condition DisruptionTarget (KEP-3329) as written by device taint eviction.
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
inline constexpr std::string_view kDeviceTaintDisruptionReason = "DeletionByDeviceTaintManager";
inline constexpr std::string_view kDeviceTaintDisruptionMessage =
    "Device Taint manager: deleting due to NoExecute taint";

// The state of the condition DisruptionTarget.
enum class DisruptionTarget : std::uint8_t {
  none,             // missing, or not True
  other,            // True, for another reason or with another message
  by_device_taint,  // True, exactly as above
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct Pod : ClaimUser {
  InternedString node_name;         // spec.nodeName
  InternedString scheduling_group;  // spec.schedulingGroup.podGroupName
  // status.extendedResourceClaimStatus.resourceClaimName
  InternedString extended_resource_claim;
  PodPhase phase = PodPhase::pending;
  DisruptionTarget disruption_target = DisruptionTarget::none;

  // Whether the pod concerns the controllers. Others are not kept.
  bool is_of_interest() const { return !claims.empty() || !extended_resource_claim.empty(); }

  friend bool operator==(const Pod&, const Pod&) = default;
};

std::size_t footprint(const Pod& pod);

inline constexpr std::string_view kSchedulingGroup = "scheduling.k8s.io";

struct PodGroup : ClaimUser {};

std::size_t footprint(const PodGroup& group);

}  // namespace dcm::api
