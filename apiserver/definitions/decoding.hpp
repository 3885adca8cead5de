// The fields of a body: those of a struct by the published types, those of a kind that is defined
// by its schema.
#pragma once

#include "apiserver/fields/typed.hpp"
#include "apiserver/store/resources.hpp"

namespace dcm::apiserver {

// Removes what the kind does not have, and tells of it.
TypedResult decode_fields(JsonObject& object, const ResourceType& type, std::string_view version,
                          MapKeys keys = MapKeys::in_paths);

// The first value of an applied object that has another type than its schema says, as server-side
// apply puts it: ".spec.replicas: expected numeric (int or float), got string".
std::optional<std::string> find_wrong_type(const JsonObject& object, const ResourceType& type);

}  // namespace dcm::apiserver
