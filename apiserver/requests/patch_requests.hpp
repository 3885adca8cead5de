// PATCH requests: the four patch types, by Content-Type, down to the registry (k8s.io/apiserver
// pkg/endpoints/handlers/patch.go).
#pragma once

#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

Result<Response> handle_patch(Registry& registry, const WriteRequest& request);

}  // namespace dcm::apiserver
