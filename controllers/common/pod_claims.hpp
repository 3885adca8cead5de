// Which ResourceClaims belong to a pod, and what the pod may still do with them (KEP-4381).
//
// The one place of the project that knows these rules. Pure: gets objects, sees no store. A pod
// claim that belongs to the pod's group (KEP-5729) becomes a further target here.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "client/api/pod.hpp"
#include "client/api/resource_claim.hpp"

namespace dcm::common {

// What an entry of pod.spec.resourceClaims leads to. The names are views into the pod.
struct UserClaim {  // made by somebody else, who may share it between pods
  std::string_view name;
  friend bool operator==(const UserClaim&, const UserClaim&) = default;
};
struct GeneratedClaim {  // made from a template for this pod alone: check is_owned_by
  std::string_view name;
  friend bool operator==(const GeneratedClaim&, const GeneratedClaim&) = default;
};
struct NotMadeYet {  // there is a template, but no claim is known
  friend bool operator==(const NotMadeYet&, const NotMadeYet&) = default;
};
struct NoClaimNeeded {  // the pod's status says so
  friend bool operator==(const NoClaimNeeded&, const NoClaimNeeded&) = default;
};
struct UnsupportedPodClaim {  // a newer API than ours has set something that we do not know
  friend bool operator==(const UnsupportedPodClaim&, const UnsupportedPodClaim&) = default;
};
using PodClaimTarget =
    std::variant<UserClaim, GeneratedClaim, NotMadeYet, NoClaimNeeded, UnsupportedPodClaim>;

PodClaimTarget target_of(const api::Pod& pod, const api::PodClaim& pod_claim);

// The entry of pod.status.resourceClaimStatuses for a pod claim; null: none.
const api::PodClaimStatus* find_status(const api::Pod& pod, std::string_view pod_claim);

// The names of all claims that the pod refers to: in its spec, in its status, and the one that the
// scheduler made for its extended resources (KEP-5004). Each once; owners are not checked.
std::vector<std::string_view> names_of_claims(const api::Pod& pod);

// Whether the claim was made for exactly this pod: its controller is the pod's UID. UIDs do not
// cross namespaces, but a forged owner reference could.
bool is_owned_by(const api::ResourceClaim& claim, const api::Pod& pod);

// Whether the pod refers to the claim, and owns it where it must.
bool is_claim_of(const api::ResourceClaim& claim, const api::Pod& pod);

// Whether the claim was generated for some pod, or made for its extended resources: a core Pod is
// its controller.
bool has_pod_as_controller(const api::ResourceClaim& claim);

// Whether status.reservedFor has the pod's UID.
bool is_reserved_for(const api::ResourceClaim& claim, const api::Pod& pod);

// Whether none of the pod's containers runs or ever will: it has finished, or it is being deleted
// before it was given a node.
bool is_done(const api::Pod& pod);

// Whether claims are made and reserved for the pod: it is neither done nor being deleted.
bool may_get_claims(const api::Pod& pod);

// Whether the pod may use the claim's devices now: it has a node, the claim is its own, allocated,
// and reserved for it.
bool may_consume_now(const api::ResourceClaim& claim, const api::Pod& pod);

}  // namespace dcm::common
