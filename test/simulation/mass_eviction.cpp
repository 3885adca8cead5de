#include "test/simulation/mass_eviction.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

// Their attempts, one for each turn, would take longer than the allowed wait.
constexpr std::size_t kPods = 60;
constexpr const char* kName = "crowd";  // of the claims, the pool and the rule
constexpr const char* kAllocation =
    R"({"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"gpu.example.com",)"
    R"("pool":"crowd","device":"dev-0"}]}}}})";

bool is_of_mass_eviction(const Pod& pod) {
  return pod.name.starts_with(kName);
}

}  // namespace

void MassEviction::start_pods() {
  context_.send("driver", "POST", kSlices,
                fmt::format(R"({{{},"spec":{{"driver":"{}","allNodes":true,"pool":{{"name":"{}",)"
                            R"("generation":1,"resourceSliceCount":1}},)"
                            R"("devices":[{{"name":"dev-0"}}]}}}})",
                            meta(kName), kDriver, kName));
  start_pods(kLargeTenant, kPods);
  start_pods(kSmallTenant, kSmallTenantPods);
}

void MassEviction::start_pods(const std::string& ns, std::size_t pods) {
  const std::string claim = claims_in(ns) + "/" + kName;
  context_.send("user", "POST", claims_in(ns),
                fmt::format(R"({{{},"spec":{{"devices":{{"requests":[{{"name":"r","exactly":)"
                            R"({{"deviceClassName":"gpu.example.com"}}}}]}}}}}})",
                            meta(kName)));
  context_.send("scheduler", "PATCH", claim,
                R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]}})");
  context_.send("scheduler", "PATCH", claim + "/status", kAllocation);
  for (std::size_t i = 0; i < pods; ++i) {
    context_.send("user", "POST", pods_in(ns),
                  fmt::format(R"({{{},"spec":{{"nodeName":"node-1","containers":[{{"name":"c",)"
                              R"("image":"i"}}],"resourceClaims":[{{"name":"c",)"
                              R"("resourceClaimName":"{}"}}]}}}})",
                              meta(fmt::format("{}-{}", kName, i)), kName));
  }
}

void MassEviction::taint() {
  context_.send("admin", "POST", kRules,
                fmt::format(R"({{{},"spec":{{"deviceSelector":{{"pool":"{}"}},)"
                            R"("taint":{{"key":"hot","effect":"NoExecute"}}}}}})",
                            meta(kName), kName));
}

std::size_t MassEviction::small_tenant_left() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(context_.cluster.pods, [](const auto& each) {
        const Pod& pod = each.second;
        return is_of_mass_eviction(pod) && pod.ns == kSmallTenant && !pod.is_being_deleted;
      }));
}

void MassEviction::remove_pods() {
  context_.send("admin", "DELETE", kRules + "/" + kName, "");
  for (const auto& [key, pod] : std::map(context_.cluster.pods)) {
    if (!is_of_mass_eviction(pod)) continue;
    context_.send("user", "DELETE", pods_in(pod.ns) + "/" + pod.name,
                  delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
  }
  for (const char* ns : {kLargeTenant, kSmallTenant}) {
    context_.send("user", "DELETE", claims_in(ns) + "/" + kName, "");
  }
}

}  // namespace dcm::simulation
