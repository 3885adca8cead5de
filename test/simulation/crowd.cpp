#include "test/simulation/crowd.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

// Their attempts, one for each turn, would take longer than anybody may wait.
constexpr std::size_t kPods = 60;
constexpr const char* kName = "crowd";  // of the claims, the pool and the rule
constexpr const char* kAllocation =
    R"({"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"gpu.example.com",)"
    R"("pool":"crowd","device":"dev-0"}]}}}})";

bool is_of_crowd(const Pod& pod) {
  return pod.name.starts_with(kName);
}

}  // namespace

void Crowd::gather() {
  scene_.send("driver", "POST", kSlices,
              fmt::format(R"({{{},"spec":{{"driver":"{}","allNodes":true,"pool":{{"name":"{}",)"
                          R"("generation":1,"resourceSliceCount":1}},)"
                          R"("devices":[{{"name":"dev-0"}}]}}}})",
                          meta(kName), kDriver, kName));
  gather(kCrowded, kPods);
  gather(kGuestsOf, kGuests);
}

void Crowd::gather(const std::string& ns, std::size_t pods) {
  const std::string claim = claims_in(ns) + "/" + kName;
  scene_.send("user", "POST", claims_in(ns),
              fmt::format(R"({{{},"spec":{{"devices":{{"requests":[{{"name":"r","exactly":)"
                          R"({{"deviceClassName":"gpu.example.com"}}}}]}}}}}})",
                          meta(kName)));
  scene_.send("scheduler", "PATCH", claim,
              R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]}})");
  scene_.send("scheduler", "PATCH", claim + "/status", kAllocation);
  for (std::size_t i = 0; i < pods; ++i) {
    scene_.send("user", "POST", pods_in(ns),
                fmt::format(R"({{{},"spec":{{"nodeName":"node-1","containers":[{{"name":"c",)"
                            R"("image":"i"}}],"resourceClaims":[{{"name":"c",)"
                            R"("resourceClaimName":"{}"}}]}}}})",
                            meta(fmt::format("{}-{}", kName, i)), kName));
  }
}

void Crowd::taint() {
  scene_.send("admin", "POST", kRules,
              fmt::format(R"({{{},"spec":{{"deviceSelector":{{"pool":"{}"}},)"
                          R"("taint":{{"key":"hot","effect":"NoExecute"}}}}}})",
                          meta(kName), kName));
}

std::size_t Crowd::guests_left() const {
  return static_cast<std::size_t>(std::ranges::count_if(scene_.cluster.pods, [](const auto& each) {
    const Pod& pod = each.second;
    return is_of_crowd(pod) && pod.ns == kGuestsOf && !pod.is_being_deleted;
  }));
}

void Crowd::disperse() {
  scene_.send("admin", "DELETE", kRules + "/" + kName, "");
  for (const auto& [key, pod] : std::map(scene_.cluster.pods)) {
    if (!is_of_crowd(pod)) continue;
    scene_.send("user", "DELETE", pods_in(pod.ns) + "/" + pod.name,
                delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
  }
  for (const char* ns : {kCrowded, kGuestsOf}) {
    scene_.send("user", "DELETE", claims_in(ns) + "/" + kName, "");
  }
}

}  // namespace dcm::simulation
