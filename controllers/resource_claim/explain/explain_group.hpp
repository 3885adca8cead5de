// Explains a pod group: the claims that its pods share, and the next step.
//
// Pure, from the same snapshot and decisions as the workers' (decide_group.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/explain/explain_claim.hpp"
#include "controllers/resource_claim/rules/decide_group.hpp"

namespace dcm::resource_claim {

// "being deleted", "3 pods".
std::string describe(const api::PodGroup& group, std::size_t pods);

// A topic for each of its claims, and one for the next step. `snapshot` is a fresh one, without
// answers.
std::vector<common::Topic> explain_group(GroupSnapshot snapshot, const common::FeatureGates& gates,
                                         Miss miss);

}  // namespace dcm::resource_claim
