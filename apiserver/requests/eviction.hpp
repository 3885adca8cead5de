// POST to a pod's /eviction (policy/v1 Eviction): a deletion that respects the PodDisruptionBudget
// (k8s.io/kubernetes pkg/registry/core/pod/storage, EvictionREST).
#pragma once

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// Sets the condition DisruptionTarget, deletes the pod, and consumes one disruption of its budget.
// 201 with a Status. Budgets do not apply to pods that are pending, finished or in deletion. 429
// with the cause DisruptionBudget: not now. 500: more than one budget. 409: preconditions.
Result<Response> handle_eviction(Registry& registry, const WriteRequest& request);

}  // namespace dcm::apiserver
