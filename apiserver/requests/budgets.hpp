// Whether a PodDisruptionBudget allows evicting a pod (k8s.io/kubernetes
// pkg/registry/core/pod/storage).
#pragma once

#include "apiserver/registry/registry.hpp"

namespace dcm::apiserver {

// Consumes one allowed disruption of the pod's budget, and records the pod in it (except in a dry
// run). Does nothing without a budget, or if the pod is unhealthy and not protected. 429: none is
// left, or the budget's status is stale.
Result<> spend_disruption(Registry& registry, const Target& pod_target, const JsonObject& pod);

}  // namespace dcm::apiserver
