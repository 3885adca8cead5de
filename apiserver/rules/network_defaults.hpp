// Defaults of Services and NetworkPolicies that depend on other fields, and a Service's address.
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void default_service(JsonObject& service);
void add_cluster_ip(JsonObject& service);
void default_network_policy(JsonObject& policy);

}  // namespace dcm::apiserver
