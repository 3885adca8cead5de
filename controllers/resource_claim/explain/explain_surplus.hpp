// Explains a second claim for a pod claim, as two managers at the same time make it: what happened,
// and the one command that repairs it.
//
// The manager repairs by itself what it can repair without harm (decide_generation.hpp points the
// pod's status to the claim in use), and deletes no claim whose pod may still start.
#pragma once

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"

namespace dcm::resource_claim {

// Adds a finding for each claim that was made for the pod claim besides `used`.
void explain_surplus_claims(const PodSnapshot& snapshot, const api::PodClaim& pod_claim,
                            const api::ResourceClaim& used, common::Topic& topic);

// Adds a finding if `claim` was made for one of the pod's claims, and the pod uses another.
void explain_surplus(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                     const api::ResourceClaim& claim, common::Topic& topic);

}  // namespace dcm::resource_claim
