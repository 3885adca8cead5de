// JSON as values of CEL, by a schema: only the fields that it has, by the names that expressions
// give them; times, durations and bytes by the format.
#pragma once

#include "apiserver/definitions/rule_types.hpp"
#include "cel/value.hpp"

namespace dcm::apiserver {

// Lives in the arena; the JSON and the schema must outlive it.
cel::Value typed_value(const Json& json, const Structural& schema, IsResource resource,
                       cel::Arena& arena);

}  // namespace dcm::apiserver
