// Values as Go's encoder writes them, by the published types: no empty maps (labels, attributes of
// devices), quantities in canonical form ("1" for "1000m").
#pragma once

#include "apiserver/schemas/field_types.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void write_values_as_go(JsonObject& object, const FieldType& type);

}  // namespace dcm::apiserver
