// JSON as CEL values, by a schema: only its fields, under their names in expressions; times,
// durations and bytes by format.
#pragma once

#include "apiserver/definitions/rule_types.hpp"
#include "cel/value.hpp"

namespace dcm::apiserver {

// Lives in the arena; the JSON and the schema must outlive it.
cel::Value typed_value(const Json& json, const Structural& schema, IsResource resource,
                       cel::Arena& arena);

}  // namespace dcm::apiserver
