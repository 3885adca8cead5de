// Whether a PodDisruptionBudget lets a pod go (k8s.io/kubernetes pkg/registry/core/pod/storage).
#pragma once

#include "apiserver/registry/registry.hpp"

namespace dcm::apiserver {

// Takes one of the disruptions that the pod's budget allows, and notes the pod in it (but not in a
// dry run). Does nothing if there is no budget, or if the pod is not healthy and the budget does
// not protect such pods now. 429: none is left, or the budget's status lags behind its spec.
Outcome<> spend_disruption(Registry& registry, const Target& pod_target, const JsonObject& pod);

}  // namespace dcm::apiserver
