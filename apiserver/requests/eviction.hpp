// POST to a pod's /eviction (policy/v1 Eviction): a deletion that asks the PodDisruptionBudget
// first (k8s.io/kubernetes pkg/registry/core/pod/storage, EvictionREST).
#pragma once

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// Deletes the pod, with the condition DisruptionTarget before, and takes one disruption from its
// budget. 201 with a Status. Pods that are pending, done or going already have no budget to ask.
// 429 with the cause DisruptionBudget: not now. 500: more than one budget. 409: preconditions.
Outcome<Response> handle_eviction(Registry& registry, const WriteRequest& request);

}  // namespace dcm::apiserver
