// resource.k8s.io ResourceClaim (KEP-4381), projected to what the controllers read.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "client/api/meta.hpp"
#include "controllers/api/device.hpp"
#include "controllers/api/pod.hpp"

namespace dcm::api {

// On a generated claim: names its pod claim.
inline constexpr std::string_view kPodClaimNameAnnotation = "resource.kubernetes.io/pod-claim-name";
// "true" on a claim that the scheduler created for extended resources (KEP-5004).
inline constexpr std::string_view kExtendedResourceClaimAnnotation =
    "resource.kubernetes.io/extended-resource-claim";
// Keeps an allocated claim until it is deallocated.
inline constexpr std::string_view kDeleteProtectionFinalizer =
    "resource.kubernetes.io/delete-protection";

// An entry of status.reservedFor; unique by `uid`.
struct ConsumerReference {
  InternedString group;     // apiGroup; empty: core
  InternedString resource;  // "pods"
  InternedString name;
  Uid uid;

  bool is_pod() const { return group.empty() && resource == "pods"; }
  bool is_pod_group() const { return group == kSchedulingGroup && resource == "podgroups"; }
  // "pod", "pod group", or the resource: for messages.
  std::string_view word() const {
    if (is_pod()) return "pod";
    return is_pod_group() ? "pod group" : resource.view();
  }
  friend bool operator==(const ConsumerReference&, const ConsumerReference&) = default;
};

// The most entries that status.reservedFor may have.
inline constexpr std::size_t kReservedForMax = 256;

// An entry of status.allocation.devices.results. A device may be in several, even of one claim.
struct AllocatedDevice {
  DeviceId id;
  // The tolerations that matter to eviction. Null if none, which is the usual case.
  std::unique_ptr<std::vector<DeviceToleration>> tolerations;

  friend bool operator==(const AllocatedDevice& a, const AllocatedDevice& b) {
    if (!a.tolerations || !b.tolerations) return a.id == b.id && a.tolerations == b.tolerations;
    return a.id == b.id && *a.tolerations == *b.tolerations;
  }
};

struct ResourceClaim {
  ObjectMeta meta;
  InternedString pod_claim_name;  // the annotation; empty: none
  std::optional<ControllerRef> controller;
  UsuallyOne<ConsumerReference> reserved_for;
  UsuallyOne<AllocatedDevice> devices;  // empty unless it is allocated
  bool is_extended_resource_claim = false;
  bool has_delete_protection = false;
  bool is_allocated = false;
  bool has_admin_access = false;

  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

// Whether no further consumer fits into status.reservedFor.
inline bool is_full(const ResourceClaim& claim) {
  return claim.reserved_for.size() >= kReservedForMax;
}

std::size_t footprint(const ResourceClaim& claim);

}  // namespace dcm::api
