// From the server's JSON to the types of cluster.hpp. Missing fields are empty.
#pragma once

#include "test/simulation/cluster.hpp"

namespace dcm::simulation {

Namespace decode_namespace(const apiserver::JsonObject& object);
Pod decode_pod(const apiserver::JsonObject& object);
Group decode_group(const apiserver::JsonObject& object);
Claim decode_claim(const apiserver::JsonObject& object);
Slice decode_slice(const apiserver::JsonObject& object);
Rule decode_rule(const apiserver::JsonObject& object);

}  // namespace dcm::simulation
