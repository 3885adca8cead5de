// Warnings about values of pods that are accepted but have another effect than intended
// (k8s.io/kubernetes pkg/api/pod/warnings.go).
#pragma once

#include <string>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Negative grace periods, fractional bytes, repeated variables; `path` is that of the spec.
std::vector<std::string> warnings_of_pod_spec(const JsonObject& spec, const std::string& path);

}  // namespace dcm::apiserver
