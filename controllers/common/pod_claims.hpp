// Which ResourceClaims belong to a pod or to its group, and what the pod may still do with them
// (KEP-4381, KEP-5729).
//
// The only place with these rules. Pure: takes objects, uses no store.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/common/feature_gates.hpp"

namespace dcm::common {

// Whether the claims of a pod's group also belong to the pod (feature gate
// DRAWorkloadResourceClaims). Refused: no pod may use the claims of a group.
enum class GroupClaims : std::uint8_t { refused, shared };
GroupClaims group_claims(const FeatureGates& gates);

// The claim of an entry of spec.resourceClaims. The names are views into the pod (or group).
struct UserClaim {  // created by somebody else, and possibly shared between pods
  std::string_view name;
  friend bool operator==(const UserClaim&, const UserClaim&) = default;
};
struct GeneratedClaim {  // created from a template: check the owner
  std::string_view name;
  friend bool operator==(const GeneratedClaim&, const GeneratedClaim&) = default;
};
struct NotMadeYet {  // there is a template, but no claim is known
  friend bool operator==(const NotMadeYet&, const NotMadeYet&) = default;
};
struct NoClaimNeeded {  // the pod's status says so
  friend bool operator==(const NoClaimNeeded&, const NoClaimNeeded&) = default;
};
struct UnsupportedPodClaim {  // a newer API has set an unknown field
  friend bool operator==(const UnsupportedPodClaim&, const UnsupportedPodClaim&) = default;
};
using PodClaimTarget =
    std::variant<UserClaim, GeneratedClaim, NotMadeYet, NoClaimNeeded, UnsupportedPodClaim>;

PodClaimTarget target_of(const api::ClaimUser& user, const api::PodClaim& pod_claim);
// The name of a user's or generated claim; nullopt: there is none, or it is not known.
std::optional<std::string_view> claim_name(const PodClaimTarget& target);

// The entry of status.resourceClaimStatuses for a pod claim; null if none. O(log n).
const api::PodClaimStatus* find_status(const api::ClaimUser& user, std::string_view pod_claim);

// A claim that a pod refers to: in its spec, in its status, or as the one created by the scheduler
// for its extended resources (KEP-5004).
struct ClaimReference {
  // The required owner of the claim; the weakest requirement of its references.
  enum class Owner : std::uint8_t { anybody, pod_or_group, pod };
  std::string_view name;  // a view into the pod
  Owner owner{};
  friend auto operator<=>(const ClaimReference&, const ClaimReference&) = default;
};
// Sorted by name, each name once. O(n log n).
std::vector<ClaimReference> references_of(const api::Pod& pod);

// The names of all claims that the pod or group refers to, sorted, each once; owners are not
// checked.
std::vector<std::string_view> names_of_claims(const api::ClaimUser& user);
std::vector<std::string_view> names_of_claims(const api::Pod& pod);

// Whether the claim was created for exactly this pod or group: its controller has that UID. UIDs
// are unique across namespaces, but an owner reference could be forged.
bool is_owned_by(const api::ResourceClaim& claim, const api::ClaimUser& user);
// Whether the claim was created for the pod's group, as far as a pod can tell: it does not know the
// group's UID.
bool is_owned_by_group_of(const api::ResourceClaim& claim, const api::Pod& pod);
// Whether the claim was created for the pod or, if groups count, for its group.
bool is_made_for(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups);

// Whether the pod refers to the claim, and owns it (itself or by its group) if that is required.
bool is_claim_of(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups);

// Whether the claim was generated for some pod, or created for its extended resources: its
// controller is a core Pod.
bool has_pod_as_controller(const api::ResourceClaim& claim);
// Whether the claim was generated for some pod group.
bool has_group_as_controller(const api::ResourceClaim& claim);
// Whether its controller is a pod or a pod group.
bool has_claim_user_as_controller(const api::ResourceClaim& claim);

// The pod's group, by name.
std::optional<api::NamespacedName> group_of(const api::Pod& pod);

// Whether the pod claim is the group's: the group has an identical entry.
bool is_shared_by(const api::PodGroup& group, const api::PodClaim& pod_claim);

// Whether status.reservedFor has the pod's or group's UID.
bool is_reserved_for(const api::ResourceClaim& claim, const api::Uid& user);
bool is_reserved_for(const api::ResourceClaim& claim, const api::Pod& pod);
// Whether status.reservedFor has the pod's group, by name.
bool is_reserved_for_group_of(const api::ResourceClaim& claim, const api::Pod& pod);
// Whether the claim is reserved for the pod or, if groups count, for its group.
bool is_reserved_for(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups);

// Whether none of the pod's containers runs or ever will: it has finished, or it was deleted before
// it got a node.
bool is_done(const api::Pod& pod);

// Neither finished nor being deleted: only such a pod gets claims and reservations, or is evicted.
bool is_active(const api::Pod& pod);

// Whether the pod may use the claim's devices now: it has a node, and the claim is its own or its
// group's, allocated, and reserved for one of them.
bool may_consume_now(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups);
// The same for one of the pod's references, to check each of thousands.
bool may_consume_now(const api::ResourceClaim& claim, const api::Pod& pod,
                     const ClaimReference& reference, GroupClaims groups);

}  // namespace dcm::common
