// Embedded objects (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata must be
// valid (k8s.io/apiextensions-apiserver pkg/apiserver/schema/objectmeta).
#pragma once

#include <string>

#include "apiserver/definitions/structural.hpp"
#include "apiserver/fields/typed.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The member `metadata` of a resource or embedded object, as an ObjectMeta: without unknown and
// empty fields.
TypedResult decode_metadata(JsonObject& object, MapKeys keys = MapKeys::in_paths);

// Decodes the metadata of all embedded objects. Unknown fields are reported in order.
TypedResult decode_embedded(JsonObject& object, const Structural& schema);

void validate_embedded(const Json& value, const Structural& schema, const std::string& path,
                       Causes& causes);

}  // namespace dcm::apiserver
