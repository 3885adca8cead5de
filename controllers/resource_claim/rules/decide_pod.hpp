// Decides what to do for a pod, or a pod group: generate claims from templates, write their names,
// reserve (KEP-4381).
//
// Pure: from what is known to the next step. The caller carries the step out, adds the answer to
// the snapshot and decides again, until the round ends. Look-ups are steps like writes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "controllers/common/feature_gates.hpp"
#include "controllers/resource_claim/rules/decide_generated_claims.hpp"

namespace dcm::resource_claim {

// The knowledge of this round: from the caches at first, then also from the answers to its steps.
struct PodSnapshot : KnownClaims {
  PodPtr pod;
  // The pod's group (not with the gate for groups off); `claims` has those that its status names.
  // Null: the pod is in none, or the group does not exist.
  GroupPtr group;
  // Claims currently being reserved for another pod: the two writes would only conflict, and this
  // pod is woken when the other one is done.
  std::set<api::InternedString> busy;
  // The failures of Reserve, by claim name. After a success the claim is replaced in `claims`.
  std::map<api::InternedString, runtime::Error> reserve_failures;
  // The position of the pod claim of the last Reserve, like `looked_up_to`.
  std::size_t reserved_up_to = 0;
};

// Reserves the claim for the pod, or for its group.
struct Reserve {
  ClaimPtr claim;
  api::ConsumerReference consumer;
  std::size_t position = 0;  // of the pod claim
};

using PodStep = std::variant<EndRound, GetClaim, CreateClaim, WriteNames, Reserve>;

// The next step. No step is requested twice within a round, so rounds end.
PodStep decide_pod(const PodSnapshot& snapshot, const common::FeatureGates& gates);

// Whether the round ends at once without a problem.
bool is_nothing_to_do(const auto& step) {
  const auto* finished = std::get_if<EndRound>(&step);
  return finished != nullptr && finished->problems.empty();
}

// ---- its parts, for explaining a single pod claim -----------------------------------------------

// Why nothing is created or reserved for a pod, whatever it requests.
enum class LeftAlone : std::uint8_t {
  finished,  // or deleted before it got a node
  being_deleted,
  in_group,       // while the gate for groups is off
  group_missing,  // and only the group determines who owns the claims that the pod still needs
};
std::optional<LeftAlone> why_left_alone(const PodSnapshot& snapshot,
                                        const common::FeatureGates& gates);

PodClaimStep decide_pod_claim(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                              const api::PodClaim& pod_claim);

// A pod placed on a node without regard to claims has its claims reserved here. Why this claim is
// not reserved:
enum class NotReserved : std::uint8_t {
  no_node,           // the scheduler does it
  not_allocated,     // nothing to reserve yet
  being_deleted,     // the claim is being deleted
  already_reserved,  // for this pod, or for its group
  under_way,         // for another pod, currently
  is_groups,         // the claim is a group's, and the gate for such claims is off
  is_former_groups,  // the claim is of a former group with the same name
};
using ReservationStep = std::variant<NotReserved, Problem, Reserve>;
ReservationStep decide_reservation(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                                   const api::PodClaim& pod_claim, const ClaimPtr& claim);

// ---- pod groups (KEP-5729): make their shared claims, write their names -------------------------

struct GroupSnapshot : KnownClaims {
  GroupPtr group;
  std::string api_version;  // in which groups are served: "scheduling.k8s.io/v1beta1"
};

using GroupStep = std::variant<EndRound, GetClaim, CreateClaim, WriteNames>;

// The next step, like decide_pod. Nothing is reserved here: the scheduler does that, or the round
// of a pod that already had a node.
GroupStep decide_group(const GroupSnapshot& snapshot, const common::FeatureGates& gates);

// Whether claims are created for the group: not during its deletion.
bool may_get_claims(const api::PodGroup& group, const common::FeatureGates& gates);

// The step for one claim of the group: building block, also used by explain.
PodClaimStep decide_group_claim(const GroupSnapshot& snapshot, const common::FeatureGates& gates,
                                const api::PodClaim& pod_claim);

}  // namespace dcm::resource_claim
