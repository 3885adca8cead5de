// What stands below an object's path: other views of it, and what it can be told to do.
#pragma once

#include "apiserver/store/writes.hpp"

namespace dcm::apiserver {

// Whether objects of the type have it; "" is the object itself.
// Whether it is one of a pod for which a container must run (log, exec, …).
bool needs_container(const ResourceType& type, std::string_view subresource);
bool has_subresource(const ResourceType& type, std::string_view subresource);

// Which part of the object a write goes to.
Endpoint endpoint_of(std::string_view subresource);

// What an object can be told to do. Such a subresource can only be posted to; null for others.
using Action = Outcome<Response> (*)(Registry&, const WriteRequest&);
Action action_of(std::string_view subresource);

}  // namespace dcm::apiserver
