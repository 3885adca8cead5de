// JSON as CEL values, without copies.
#pragma once

#include "apiserver/text/json.hpp"
#include "cel/value.hpp"

namespace dcm::apiserver {

// Lives in the arena; the JSON must outlive it.
cel::Value cel_value(const Json& json, cel::Arena& arena);
// null: the value null
cel::Value cel_value(const JsonObject* object, cel::Arena& arena);

}  // namespace dcm::apiserver
