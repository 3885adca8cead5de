// What a pod's spec becomes before anybody validates it: the API's defaults, and what the admission
// plugins that are always on add (Priority, DefaultTolerationSeconds).
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void default_pod_spec(JsonObject& spec);

// `old`: the spec as stored; empty for a create.
void admit_pod_spec(JsonObject& spec, const JsonObject& old);

// One address and all of them: the one counts, and is the first of all.
void default_pod_ips(JsonObject& status);

// status.qosClass, from what the containers ask for.
std::string_view qos_class(const JsonObject& spec);

}  // namespace dcm::apiserver
