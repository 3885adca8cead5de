// The fields of a body: those of a struct by the published types, those of a kind that is defined
// by its schema.
#pragma once

#include "apiserver/fields/typed.hpp"
#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// Removes what the kind does not have, and tells of it.
TypedResult decode_fields(JsonObject& object, const ResourceType& type, std::string_view version,
                          MapKeys keys = MapKeys::in_paths);

// What server-side apply refuses of an object of a defined kind: the first value that has another
// type than its schema says (".spec.replicas: expected numeric (int or float), got string"), or the
// first field that the schema does not have. An object without any known field may have all.
std::optional<std::string> problem_with_applied(const JsonObject& object, const ResourceType& type);

}  // namespace dcm::apiserver
