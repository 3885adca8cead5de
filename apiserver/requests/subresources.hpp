// The subresources of an object: other views of it, and actions on it.
#pragma once

#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// Whether it is a pod's subresource that needs a running container (log, exec, …); and whether
// objects of the type have it ("" is the object itself).
bool needs_container(const ResourceType& type, std::string_view subresource);
bool has_subresource(const ResourceType& type, std::string_view subresource);

// Which part of the object a write changes.
Endpoint endpoint_of(std::string_view subresource);

// An action on an object. Its subresource accepts only POST; null if it is no action.
using Action = Result<Response> (*)(Registry&, const WriteRequest&);
Action action_of(std::string_view subresource);

}  // namespace dcm::apiserver
