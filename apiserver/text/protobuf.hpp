// Bodies in Kubernetes' protobuf, for the few kinds that kubectl posts in it: what `kubectl create
// configmap`, `namespace` and `poddisruptionbudget` make, and what `kubectl drain` sends.
// (kubectl sends files, patches and deletions as JSON.) Clients that offer protobuf take JSON as an
// answer, so there is no encoder.
#pragma once

#include <string_view>

#include "apiserver/rules/api_error.hpp"

namespace dcm::apiserver {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// The object as JSON would have it, apiVersion and kind included. 400 for what is no protobuf, 415
// for a kind that this decoder does not know.
Outcome<JsonObject> decode_protobuf(std::string_view body);

}  // namespace dcm::apiserver
