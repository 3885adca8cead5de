// Embedded objects (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata must be
// valid (k8s.io/apiextensions-apiserver pkg/apiserver/schema/objectmeta).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/definitions/shaping.hpp"
#include "apiserver/definitions/structural.hpp"
#include "apiserver/fields/typed.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The member `metadata` of a resource or embedded object, as an ObjectMeta: without unknown and
// empty fields.
TypedResult decode_metadata(JsonObject& object, MapKeys keys = MapKeys::in_paths);

struct EmbeddedResult {
  std::vector<std::string> unknown;  // paths of fields, in order; removed from the object
  std::optional<Cause> problem;      // the first one
};

// Decodes the metadata of all embedded objects; with Root::resource, also that of the object.
EmbeddedResult decode_embedded(JsonObject& object, const Structural& schema, Root root);
EmbeddedResult decode_embedded(Json& value, const Structural& schema, const std::string& path);

void validate_embedded(const Json& value, const Structural& schema, const std::string& path,
                       Causes& causes, Root root = Root::value);

}  // namespace dcm::apiserver
