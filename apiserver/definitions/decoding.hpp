// The fields of a body: for built-in kinds by the published types, for defined kinds by their
// schema.
#pragma once

#include "apiserver/definitions/structural.hpp"
#include "apiserver/fields/typed.hpp"
#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

// Removes unknown fields and reports them.
TypedResult decode_fields(JsonObject& object, const ResourceType& type, std::string_view version,
                          MapKeys keys = MapKeys::in_paths);

// What server-side apply rejects in an object of a defined kind: values whose type is not the
// schema's (".spec.replicas: expected numeric (int or float), got string"), fields that the schema
// lacks, and items of lists that cannot be told apart. "" if nothing. Where a schema declares no
// fields, any field is allowed. Several problems are lines after "errors:", at most 100.
std::string problem_with_applied(const JsonObject& object, const Structural& schema);

// The same for an object that is stored. Only one such value passes validation: a list for a text
// with a format.
std::string problem_with_stored(const JsonObject& object, const Structural& schema);

}  // namespace dcm::apiserver
