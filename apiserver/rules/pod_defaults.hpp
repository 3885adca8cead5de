// Completes a pod's spec before its validation: the API's defaults, and the additions of the
// admission plugins that are always on (Priority, DefaultTolerationSeconds).
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Of a workload's template: what is left to its pods stays unset.
void default_template_spec(JsonObject& spec);
void default_pod_spec(JsonObject& spec);

// `old`: the spec as stored; empty for a create, which has been given its priority (priority.hpp).
void admit_pod_spec(JsonObject& spec, const JsonObject& old);

// Makes `podIP` and `podIPs` agree: `podIP` counts, and is the first of `podIPs`.
void default_pod_ips(JsonObject& status);

}  // namespace dcm::apiserver
