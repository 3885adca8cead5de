#include "apiserver/requests/subresources.hpp"

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/requests/binding.hpp"
#include "apiserver/requests/eviction.hpp"

namespace dcm::apiserver {

bool needs_container(const ResourceType& type, std::string_view subresource) {
  return type.is("Pod") && (subresource == "log" || subresource == "exec" ||
                            subresource == "attach" || subresource == "portforward");
}

bool has_subresource(const ResourceType& type, std::string_view subresource) {
  if (subresource.empty()) return true;
  if (subresource == "status") return type.has_status();
  if (subresource == "scale")
    return type.defined != nullptr && defined_kind(type).scale.has_value();
  if (subresource == "finalize") return type.is("Namespace");
  return action_of(subresource) != nullptr && type.is("Pod");
}

Endpoint endpoint_of(std::string_view subresource) {
  if (subresource == "status") return Endpoint::status;
  if (subresource == "scale") return Endpoint::scale;
  return subresource == "finalize" ? Endpoint::finalize : Endpoint::main;
}

Action action_of(std::string_view subresource) {
  if (subresource == "binding") return handle_binding;
  if (subresource == "eviction") return handle_eviction;
  return nullptr;
}

}  // namespace dcm::apiserver
