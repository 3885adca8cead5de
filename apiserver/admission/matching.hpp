// Whether a policy or a binding applies to a request (k8s.io/apiserver admission/plugin/policy
// matching).
#pragma once

#include <optional>

#include "apiserver/model/attributes.hpp"
#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// The resource named by a rule: that of the request, or an equivalent one of another version.
// Expressions see the object in that version.
struct MatchedResource {
  const ResourceType* type;
  std::string version;
  GroupVersionKind kind;
};

// `constraints`: matchConstraints or matchResources. `ns`: the namespace of the request, null if
// none. nullopt: it does not apply.
std::optional<MatchedResource> match(const JsonObject& constraints, const Attributes& attributes,
                                     const JsonObject* ns, const ResourceTable& types);

}  // namespace dcm::apiserver
