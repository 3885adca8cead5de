#include "apiserver/rules/network_defaults.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace dcm::apiserver {

namespace {

// An address that is probably unique among services: no traffic is routed to it.
std::string cluster_ip(std::string_view uid) {
  const std::size_t hash = std::hash<std::string_view>()(uid);
  return "10.96." + std::to_string((hash >> 8) % 254 + 1) + "." + std::to_string(hash % 254 + 1);
}

}  // namespace

void default_service(JsonObject& service) {
  for_each_object(find(service, {"spec", "ports"}), [](JsonObject& port) {
    if (!has(port, {"port"})) return;
    const Json target = port["port"];
    set_default(port, "targetPort", target);
  });
  JsonObject& spec = child(service, "spec");
  const std::string type(text_at(spec, {"type"}));
  if (type != "ExternalName") set_default(spec, "internalTrafficPolicy", "Cluster");
  if (type == "NodePort" || type == "LoadBalancer") {
    set_default(spec, "externalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") set_default(spec, "allocateLoadBalancerNodePorts", true);
}

void add_cluster_ip(JsonObject& service) {
  JsonObject& spec = child(service, "spec");
  if (text_at(spec, {"type"}) == "ExternalName") return;
  if (text_at(spec, {"clusterIP"}).empty()) {
    spec["clusterIP"] = cluster_ip(text_at(service, {"metadata", "uid"}));
  }
  set_default(spec, "clusterIPs", JsonArray{spec["clusterIP"]});
  set_default(spec, "ipFamilies", JsonArray{"IPv4"});
  set_default(spec, "ipFamilyPolicy", "SingleStack");
}

void default_network_policy(JsonObject& policy) {
  JsonObject& spec = child(policy, "spec");
  JsonArray types{"Ingress"};
  if (!array_at(spec, {"egress"}).empty()) types.emplace_back("Egress");
  set_default(spec, "policyTypes", types);
}

}  // namespace dcm::apiserver
