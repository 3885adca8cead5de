// The API's defaults as one table: of the kinds that are stored as they come, and of what pods and
// their templates consist of (PodSpec, Container, Probe).
#pragma once

#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Sets missing fields. A field below a missing object has no default.
void set_plain_defaults(std::string_view kind, JsonObject& object);

}  // namespace dcm::apiserver
