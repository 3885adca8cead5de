// A definition as Go writes it: no unknown fields, no empty members, and free-form parts (defaults,
// examples, enum values) unchanged.
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void write_definition_as_go(JsonObject& definition);

}  // namespace dcm::apiserver
