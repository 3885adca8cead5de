// The API's defaults as one table: for kinds, and for the parts of pods and templates (PodSpec,
// Container, Probe).
#pragma once

#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Sets missing fields. A field below a missing object gets no default.
void set_default_values(std::string_view kind, JsonObject& object);

}  // namespace dcm::apiserver
