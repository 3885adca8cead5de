// PATCH requests: the four patch types, by Content-Type, down to the registry (k8s.io/apiserver
// pkg/endpoints/handlers/patch.go).
#pragma once

#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

Result<Response> handle_patch(Registry& registry, const WriteRequest& request);
// Changes an object by a JSON or merge patch; it must still be one of the target's kind.
Result<> apply_patch(const WriteRequest& request, const Target& target, JsonObject& object,
                     FieldCheck& check);

}  // namespace dcm::apiserver
