// Completes a pod's spec before its validation: the API's defaults, and the additions of the
// admission plugins that are always on (Priority, DefaultTolerationSeconds).
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void default_pod_spec(JsonObject& spec);

// `old`: the spec as stored; empty for a create, which has been given its priority (priority.hpp).
void admit_pod_spec(JsonObject& spec, const JsonObject& old);

// Makes `podIP` and `podIPs` agree: `podIP` counts, and is the first of `podIPs`.
void default_pod_ips(JsonObject& status);

// status.qosClass, from what the containers ask for.
std::string_view qos_class(const JsonObject& spec);

}  // namespace dcm::apiserver
