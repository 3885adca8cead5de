#include "test/simulation/copies.hpp"

#include <string>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

constexpr int kTenants = 4;
constexpr const char* kNs = "default";  // exists permanently
constexpr const char* kName = "beside-copies";
constexpr const char* kSpec =
    R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.example.com"}}]}})";

std::string claim_of_nobody(const std::string& name, const std::string& pod_claim) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","annotations":{{"resource.kubernetes.io/pod-claim-name":"{}"}},)"
      R"("ownerReferences":[{{"apiVersion":"v1","kind":"Pod","name":"web-0","controller":true,)"
      R"("uid":"6f9619ff-8b86-d011-b42d-00cf4fc964ff"}}]}},"spec":{}}})",
      name, pod_claim, kSpec);
}

}  // namespace

void Copies::bring() {
  for (int i = 0; i < kTenants; ++i) {
    const std::string ns = fmt::format("tenant-{}", i);
    context_.send("tenant", "POST", kNamespaces, "{" + meta(ns) + "}");
    context_.send("tenant", "POST", claims_in(ns), claim_of_nobody("web-0-c0-x7k2p", "c0"));
  }
  for (const auto& [key, claim] : std::map(context_.cluster.claims)) {
    if (claim.pod_claim.empty()) continue;
    context_.send("backup", "POST", claims_in(claim.ns),
                  claim_of_nobody(claim.name + "-restored", claim.pod_claim));
  }
}

void Copies::make_pod() {
  context_.send("user", "POST", templates_in(kNs),
                fmt::format(R"({{{},"spec":{{"spec":{}}}}})", meta(kName), kSpec));
  context_.send(
      "user", "POST", pods_in(kNs),
      fmt::format(R"({{{},"spec":{{"containers":[{{"name":"c","image":"i"}}],)"
                  R"("resourceClaims":[{{"name":"c","resourceClaimTemplateName":"{}"}}]}}}})",
                  meta(kName), kName));
}

bool Copies::has_pod_its_claim() const {
  const Pod* pod = context_.cluster.pod(fmt::format("{}/{}", kNs, kName));
  return pod != nullptr && context_.cluster.usable_claim(*pod, pod->claims.front()) != nullptr;
}

void Copies::remove_pod() {
  context_.send("user", "DELETE", pods_in(kNs) + "/" + kName, R"({"gracePeriodSeconds":0})");
  context_.send("user", "DELETE", templates_in(kNs) + "/" + kName, "");
}

}  // namespace dcm::simulation
