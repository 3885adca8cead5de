// Explains a pod and its claims: what each pod claim waits for, and the next
// step.
//
// Pure, from the same snapshot and decisions as the workers' (decide_pod.hpp, decide_claim.hpp).
#pragma once

#include <vector>

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/explain/explain_claim.hpp"
#include "controllers/resource_claim/explain/explain_use.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"

namespace dcm::resource_claim {

// "Pending, on no node yet", "Running on node-a, being deleted".
std::string describe(const api::Pod& pod);

// A topic for each pod claim, one for extended resources, and one for the next step. `snapshot` is
// a fresh one, without answers.
std::vector<common::Topic> explain_pod(PodSnapshot snapshot, const common::FeatureGates& gates,
                                       Miss miss, const SnapshotOf& snapshot_of);

}  // namespace dcm::resource_claim
