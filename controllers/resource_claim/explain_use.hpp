// What there is to say about a claim as one pod sees it: how far it is from using its devices.
#pragma once

#include <functional>

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/decide_pod.hpp"
#include "controllers/resource_claim/explain_claim.hpp"

namespace dcm::resource_claim {

// The snapshot of a claim that a pod refers to.
using SnapshotOf = std::function<ClaimSnapshot(const ClaimPtr&)>;

// Of a claim that is there, and that the pod may use.
void explain_use(const PodSnapshot& snapshot, const SnapshotOf& snapshot_of, const ClaimPtr& claim,
                 common::Topic& topic);

}  // namespace dcm::resource_claim
