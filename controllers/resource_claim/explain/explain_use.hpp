// Explains a claim as one pod sees it: how far the pod is from using its devices.
#pragma once

#include <functional>

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/explain/explain_claim.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"

namespace dcm::resource_claim {

// The snapshot of a claim that a pod refers to.
using SnapshotOf = std::function<ClaimSnapshot(const ClaimPtr&)>;

// The common arguments.
struct PodView {
  const PodSnapshot& snapshot;
  const common::FeatureGates& gates;
  const SnapshotOf& snapshot_of;

  const api::Pod& pod() const { return *snapshot.pod; }
  const std::string& name_space() const { return pod().meta.key.namespace_.str(); }
};

// Of a claim that is there, and that the pod may use: for a pod claim, or (a blank one) for
// extended resources.
void explain_use(const PodView& view, const api::PodClaim& pod_claim, const ClaimPtr& claim,
                 common::Topic& topic);

}  // namespace dcm::resource_claim
