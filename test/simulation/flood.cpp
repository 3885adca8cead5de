#include "test/simulation/flood.hpp"

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

// More than there are workers, and requests at a time.
constexpr std::size_t kPods = 120;
constexpr const char* kFlood = "flood";  // of the template, and what names of pods begin with
constexpr const char* kMissing = "flood-missing";
constexpr const char* kServed = "flood-served";
constexpr const char* kFailing = "flood-failing";

}  // namespace

void Flood::start() {
  for (const char* ns : {kLoudTenant, kCalmTenant}) {
    context_.send("user", "POST", templates_in(ns),
                  fmt::format(R"({{{},"spec":{{"spec":{{"devices":{{"requests":[{{"name":"r",)"
                              R"("exactly":{{"deviceClassName":"gpu.example.com"}}}}]}}}}}}}})",
                              meta(kFlood)));
  }
  for (std::size_t i = 0; i < kPods; ++i) {
    make_pod(kLoudTenant, fmt::format("{}-{}", kFlood, i), i % 2 == 0 ? kFlood : kMissing);
  }
}

void Flood::make_pod(const std::string& ns, const std::string& name,
                     const std::string& template_name) {
  context_.send(
      "user", "POST", pods_in(ns),
      fmt::format(R"({{{},"spec":{{"containers":[{{"name":"c","image":"i"}}],)"
                  R"("resourceClaims":[{{"name":"c","resourceClaimTemplateName":"{}"}}]}}}})",
                  meta(name), template_name));
}

void Flood::make_calm_pods() {
  make_pod(kCalmTenant, kServed, kFlood);
  make_pod(kCalmTenant, kFailing, kMissing);
}

bool Flood::are_calm_pods_served(const Reports& reports) const {
  const Pod* served = context_.cluster.pod(fmt::format("{}/{}", kCalmTenant, kServed));
  const Pod* failing = context_.cluster.pod(fmt::format("{}/{}", kCalmTenant, kFailing));
  return served != nullptr && failing != nullptr &&
         context_.cluster.usable_claim(*served, served->claims.front()) != nullptr &&
         reports.are_there(failing->uid, "FailedResourceClaimCreation");
}

void Flood::stop() {
  for (const auto& [key, pod] : std::map(context_.cluster.pods)) {
    if (!pod.name.starts_with(kFlood)) continue;
    context_.send("user", "DELETE", pods_in(pod.ns) + "/" + pod.name,
                  delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
  }
  for (const char* ns : {kLoudTenant, kCalmTenant}) {
    context_.send("user", "DELETE", templates_in(ns) + "/" + kFlood, "");
  }
}

}  // namespace dcm::simulation
