// Decides what to do for a pod group: make its shared claims, write their names (KEP-5729).
//
// Pure, step by step, as decide_pod.hpp. Nothing is reserved here: the scheduler does that, or the
// work of a pod that came with its node.
#pragma once

#include <string>
#include <variant>

#include "controllers/resource_claim/rules/decide_generation.hpp"

namespace dcm::resource_claim {

struct GroupSnapshot : Generation {
  GroupPtr group;
  std::string api_version;  // in which groups are served: "scheduling.k8s.io/v1beta1"
};

using GroupStep = std::variant<Finished, GetClaim, CreateClaim, WriteNames>;

// The next step. A step is never asked for twice within a round, so rounds end.
GroupStep decide_group(const GroupSnapshot& snapshot, const common::FeatureGates& gates);

// Finished, without a problem.
bool is_nothing_to_do(const GroupStep& step);

// Whether claims are made for the group: not while it is being deleted.
bool may_get_claims(const api::PodGroup& group, const common::FeatureGates& gates);

// The step for one claim of the group, for callers that ask about one.
PodClaimStep decide_group_claim(const GroupSnapshot& snapshot, const common::FeatureGates& gates,
                                const api::PodClaim& pod_claim);

}  // namespace dcm::resource_claim
