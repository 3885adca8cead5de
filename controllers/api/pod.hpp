// core/v1 Pod, projected to what the controllers read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "controllers/api/claim_user.hpp"

namespace dcm::api {

// The condition DisruptionTarget (KEP-3329) as eviction because of a device taint writes it.
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
inline constexpr std::string_view kDeviceTaintDisruptionReason = "DeletionByDeviceTaintManager";
inline constexpr std::string_view kDeviceTaintDisruptionMessage =
    "Device Taint manager: deleting due to NoExecute taint";

// The state of the condition DisruptionTarget.
enum class DisruptionTarget : std::uint8_t {
  none,             // there is none, or it is not True
  other,            // True, for another reason or with another message
  by_device_taint,  // True, exactly as above
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct Pod : ClaimUser {
  InternedString node_name;         // spec.nodeName
  InternedString scheduling_group;  // spec.schedulingGroup.podGroupName
  PodPhase phase = PodPhase::pending;
  DisruptionTarget disruption_target = DisruptionTarget::none;
  InternedString extended_resource_claim;  // status.extendedResourceClaimStatus.resourceClaimName

  // Whether the controllers have any business with it. A pod that is of no interest is not kept.
  bool is_of_interest() const { return !claims.empty() || !extended_resource_claim.empty(); }
};

// Bytes of memory: of its size and capacities, without the allocator's rounding and interned
// strings.
std::size_t footprint(const Pod& pod);

}  // namespace dcm::api
