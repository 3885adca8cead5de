// Maps without entries, which Go's encoder leaves out: labels, quantities, attributes of devices.
#pragma once

#include "apiserver/fields/field_types.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void drop_empty_maps(JsonObject& object, const FieldType& type);

}  // namespace dcm::apiserver
