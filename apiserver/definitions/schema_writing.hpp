// A definition as Go writes it: no fields that a schema does not have, no empty members, and what
// is free-form (defaults, examples, values of enums) as it came.
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void write_definition_as_go(JsonObject& definition);

}  // namespace dcm::apiserver
