#include "test/simulation/collectors.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace dcm::simulation {

runtime::Task<> Collectors::run() {
  for (;;) {
    co_await pause(10);
    collect_orphans();
    for (const auto& [name, ns] : std::map(scene_.cluster.namespaces)) {
      if (ns.is_being_deleted) empty(name);
    }
  }
}

void Collectors::collect_orphans() {
  std::vector<Claim> orphans;
  for (const auto& [key, claim] : scene_.cluster.claims) {
    const bool is_orphan = !claim.owner.empty() && scene_.cluster.find_pod(claim.owner) == nullptr;
    if (is_orphan && !claim.is_being_deleted) orphans.push_back(claim);
  }
  for (const Claim& claim : orphans) {
    scene_.send("collector", "DELETE", claims_in(claim.ns) + "/" + claim.name,
                delete_only(claim.uid));
  }
}

// What has finalizers, and pods that take time to stop, hold it up: it is looked at again.
void Collectors::empty(const std::string& ns) {
  for (const std::string& collection : {templates_in(ns), claims_in(ns), pods_in(ns)}) {
    scene_.send("namespaces", "DELETE", collection, "");
  }
  const auto is_in = [&](const auto& entry) { return entry.first.starts_with(ns + "/"); };
  if (std::ranges::any_of(scene_.cluster.pods, is_in) ||
      std::ranges::any_of(scene_.cluster.claims, is_in) ||
      std::ranges::any_of(scene_.cluster.templates, is_in)) {
    return;
  }
  scene_.send(
      "namespaces", "PUT", kNamespaces + "/" + ns + "/finalize",
      fmt::format(R"({{"apiVersion":"v1","kind":"Namespace",{},"spec":{{"finalizers":[]}}}})",
                  meta(ns)));
}

}  // namespace dcm::simulation
