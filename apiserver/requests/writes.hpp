// Write requests: their bodies, content types and options (k8s.io/apiserver
// pkg/endpoints/handlers), down to the registry.
#pragma once

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/field_check.hpp"
#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

struct WriteRequest {
  Target target;
  Query query;
  std::string_view content_type;  // without parameters
  std::string_view body;
};

// The kind of a patch, by its Content-Type.
enum class PatchKind { json, merge, strategic, apply };

Result<Response> handle_create(Registry& registry, const WriteRequest& request);
Result<Response> handle_replace(Registry& registry, const WriteRequest& request);
Result<Response> handle_delete(Registry& registry, const WriteRequest& request);
// Deletes a page of a list; an object that has disappeared is no failure. `metadata` is the list's.
Result<Response> handle_delete_collection(Registry& registry, const WriteRequest& request,
                                          const std::vector<Stored>& objects, JsonObject metadata);

// The written object or the failure, and the warnings about the body.
Response written_response(Registry& registry, const Target& target, Result<Written> written,
                          const FieldCheck& check);

}  // namespace dcm::apiserver
