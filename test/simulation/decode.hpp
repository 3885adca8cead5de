// From the server's JSON to the types of cluster.hpp. Missing fields are empty.
#pragma once

#include <string_view>

#include "test/simulation/cluster.hpp"
#include "test/simulation/reports.hpp"

namespace dcm::simulation {

// Which pod claim a claim was made for, and where a policy of some worlds moves it.
inline constexpr std::string_view kPodClaimAnnotation = "resource.kubernetes.io/pod-claim-name";
inline constexpr std::string_view kStrippedAnnotation = "policy.example.com/was-pod-claim-name";

Namespace decode_namespace(const apiserver::JsonObject& object);
Pod decode_pod(const apiserver::JsonObject& object);
Group decode_group(const apiserver::JsonObject& object);
Claim decode_claim(const apiserver::JsonObject& object);
Slice decode_slice(const apiserver::JsonObject& object);
Rule decode_rule(const apiserver::JsonObject& object);
// Of an Event; its process is not in there.
Report decode_report(const apiserver::JsonObject& object);

}  // namespace dcm::simulation
