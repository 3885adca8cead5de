// Values as Go's encoder writes them, by the published types: no empty maps (labels, attributes of
// devices), quantities in canonical form ("1" for "1000m"), times in UTC.
#pragma once

#include "apiserver/schemas/field_types.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// What Go decodes a null in a list or map to; null if it has no such value.
Json zero_value(const FieldType& type);
// Replaces the nulls in lists and maps.
void fill_nulls(JsonObject& object, const FieldType& type);

void write_values_as_go(JsonObject& object, const FieldType& type);

}  // namespace dcm::apiserver
