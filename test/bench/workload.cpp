#include "test/bench/workload.hpp"

#include <map>

#include <fmt/format.h>

namespace dcm::bench {
namespace {

using support::at;
using support::text_at;

constexpr std::size_t kAtATime = 16;
constexpr int kDevicesPerPool = 8;
constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kClaims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";

json::value pod_body(const std::string& name, const std::string& node, json::object claim) {
  json::object spec{
      {"containers", json::array{json::object{{"name", "main"}, {"image", "example.com/main:1"}}}},
      {"resourceClaims", json::array{std::move(claim)}}};
  if (!node.empty()) spec["nodeName"] = node;
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

json::value claim_body(const std::string& name) {
  const json::object request{{"name", "gpu"},
                             {"exactly", {{"deviceClassName", "gpu.example.com"}}}};
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaim"},
          {"metadata", {{"name", name}}},
          {"spec", {{"devices", {{"requests", json::array{request}}}}}}};
}

json::value allocation_body(int number, const std::string& pod, const std::string& uid) {
  const json::object result{{"request", "gpu"},
                            {"driver", "gpu.example.com"},
                            {"pool", fmt::format("pool-{}", number / kDevicesPerPool)},
                            {"device", fmt::format("gpu-{}", number % kDevicesPerPool)}};
  const json::object consumer{{"resource", "pods"}, {"name", pod}, {"uid", uid}};
  return {{"status",
           {{"allocation", {{"devices", {{"results", json::array{result}}}}}},
            {"reservedFor", json::array{consumer}}}}};
}

// In the order of the pods' numbers.
std::vector<std::string> uids_of_pods(Kube& kube, int count) {
  std::map<std::string, std::string> uids;
  const json::value list = kube.must_get(kPods);
  for (const json::value& pod : at(list, "/items").as_array()) {
    uids[text_at(pod, "/metadata/name")] = text_at(pod, "/metadata/uid");
  }
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(uids.at(fmt::format("pod-{}", i)));
  return all;
}

}  // namespace

void create_template(Kube& kube) {
  kube.must_post("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
                 json::parse(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate",
      "metadata":{"name":"gpus"},"spec":{"spec":{"devices":{"requests":[
        {"name":"gpus","exactly":{"deviceClassName":"gpu.example.com"}}]}}}})"));
}

void create_pods(Kube& kube, const std::string& prefix, int count, const std::string& node) {
  std::vector<json::value> bodies;
  for (int i = 0; i < count; ++i) {
    bodies.push_back(pod_body(prefix + std::to_string(i), node,
                              {{"name", "accel"}, {"resourceClaimTemplateName", "gpus"}}));
  }
  kube.post_all(kPods, bodies, kAtATime);
}

std::size_t count_claims(Kube& kube) {
  const json::value page = kube.must_get("/apis/resource.k8s.io/v1/resourceclaims?limit=1");
  const json::value& rest = at(page, "/metadata/remainingItemCount");
  return at(page, "/items").as_array().size() +
         (rest.is_int64() ? static_cast<std::size_t>(rest.as_int64()) : 0);
}

std::size_t count_served_pods(Kube& kube) {
  const json::value list = kube.must_get("/api/v1/pods");
  std::size_t served = 0;
  for (const json::value& pod : at(list, "/items").as_array()) {
    served += !text_at(pod, "/status/resourceClaimStatuses/0/resourceClaimName").empty();
  }
  return served;
}

std::vector<std::string> create_pods_with_devices(Kube& kube, int count) {
  std::vector<json::value> pods, claims;
  for (int i = 0; i < count; ++i) {
    const std::string claim = fmt::format("claim-{}", i);
    pods.push_back(pod_body(fmt::format("pod-{}", i), "node-a",
                            {{"name", "accel"}, {"resourceClaimName", claim}}));
    claims.push_back(claim_body(claim));
  }
  kube.post_all(kClaims, claims, kAtATime);
  kube.post_all(kPods, pods, kAtATime);
  std::vector<std::string> uids = uids_of_pods(kube, count);
  std::vector<Kube::Call> allocations;
  for (int i = 0; i < count; ++i) {
    allocations.push_back({fmt::format("{}/claim-{}/status", kClaims, i),
                           allocation_body(i, fmt::format("pod-{}", i), uids[std::size_t(i)])});
  }
  kube.patch_all(Kube::Patch::merge, allocations, kAtATime);
  return uids;
}

void create_rule(Kube& kube, const std::string& rule) {
  kube.must_post("/apis/resource.k8s.io/v1/devicetaintrules",
                 {{"apiVersion", "resource.k8s.io/v1"},
                  {"kind", "DeviceTaintRule"},
                  {"metadata", {{"name", rule}}},
                  {"spec",
                   {{"deviceSelector", {{"driver", "gpu.example.com"}}},
                    {"taint", {{"key", "example.com/retired"}, {"effect", "NoExecute"}}}}}});
}

json::value disruption_target_of(const std::string& uid) {
  const json::object condition{{"type", "DisruptionTarget"},
                               {"status", "True"},
                               {"reason", "DeletionByDeviceTaintManager"},
                               {"message", "Device Taint manager: deleting due to NoExecute taint"},
                               {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
  return {{"metadata", {{"uid", uid}}}, {"status", {{"conditions", json::array{condition}}}}};
}

json::value delete_options_of(const std::string& uid) {
  return {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", uid}}}};
}

}  // namespace dcm::bench
