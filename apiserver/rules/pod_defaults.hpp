// Completes a pod's spec before validation: the API's defaults, and the additions of always-on
// admission plugins (Priority, DefaultTolerationSeconds).
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// For a workload's template: fields set only in pods stay unset.
void default_template_spec(JsonObject& spec);
void default_pod_spec(JsonObject& spec);

// `old`: the stored spec; empty for a create, which already has its priority (priority.hpp).
void admit_pod_spec(JsonObject& spec, const JsonObject& old);

// Makes `podIP` and `podIPs` agree: `podIP` wins, and comes first in `podIPs`.
void default_pod_ips(JsonObject& status);

}  // namespace dcm::apiserver
