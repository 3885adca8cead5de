// The total requests of a pod (`spec.resources`, KEP-2837).
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// A pod with pod-level limits requests the sum of its containers' requests, or its limits if they
// request nothing.
void default_requests_as_a_whole(JsonObject& pod_spec);

}  // namespace dcm::apiserver
