// The published OpenAPI schemas of the kinds that this server knows, as excerpts of what a real
// kube-apiserver 1.37 publishes (openapi/excerpt.py makes them). They define the known fields.
#pragma once

#include <string_view>

namespace dcm::apiserver {

// The members of `components.schemas` for a group version ("v1", "resource.k8s.io/v1"): each a
// schema by its name, without the braces around them. "" if it has none.
std::string_view openapi_schemas(std::string_view api_version);

}  // namespace dcm::apiserver
