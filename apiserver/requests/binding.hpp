// POST to a pod's /binding: what a scheduler does last (k8s.io/kubernetes
// pkg/registry/core/pod/storage, BindingREST).
#pragma once

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// Gives the pod its node, and the condition PodScheduled. 201 with a Status.
// 409: the pod has a node, is being deleted, has scheduling gates, or is another one of that name.
Outcome<Response> handle_binding(Registry& registry, const WriteRequest& request);

}  // namespace dcm::apiserver
