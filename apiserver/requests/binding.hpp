// POST to a pod's /binding: the last step of a scheduler (k8s.io/kubernetes
// pkg/registry/core/pod/storage, BindingREST).
#pragma once

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// Assigns the pod its node, and sets the condition PodScheduled. 201 with a Status. 409: the pod
// has a node, is being deleted, has scheduling gates, or was replaced under its name.
Result<Response> handle_binding(Registry& registry, const WriteRequest& request);

}  // namespace dcm::apiserver
