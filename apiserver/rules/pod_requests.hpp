// What a pod requests as a whole (`spec.resources`, KEP-2837).
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// A pod with limits of its own requests what its containers request together, and what it is
// limited to where they request nothing.
void default_requests_as_a_whole(JsonObject& pod_spec);

}  // namespace dcm::apiserver
