#include "test/simulation/collectors.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace dcm::simulation {

// Two minutes, as in Kubernetes; less in half of the worlds, so that deletions are refused for
// longer more often.
Collectors::Collectors(ActorContext context, runtime::Rng rng)
    : Actor(context, rng), mark_lasts_(std::chrono::seconds(chance(0.5) ? 120 : 20)) {}

runtime::Task<> Collectors::run() {
  while (true) {
    co_await pause(10);
    collect_orphans();
    let_groups_go();
    take_marks_back();
    for (const auto& [name, ns] : std::map(context_.cluster.namespaces)) {
      if (ns.is_being_deleted) empty(name);
    }
  }
}

void Collectors::collect_orphans() {
  std::vector<Claim> orphans;
  for (const auto& [key, claim] : context_.cluster.claims) {
    const bool is_orphan = !claim.owner.empty() && !context_.cluster.has_owner(claim);
    if (is_orphan && !claim.is_being_deleted) orphans.push_back(claim);
  }
  for (const Claim& claim : orphans) {
    context_.send("collector", "DELETE", claims_in(claim.ns) + "/" + claim.name,
                  delete_only(claim.uid));
  }
}

void Collectors::take_marks_back() {
  const runtime::WallTime now = context_.loop.time().wall_now();
  for (const auto& [key, pod] : std::map(context_.cluster.pods)) {
    if (!pod.is_marked || pod.is_being_deleted || now - pod.marked_since < mark_lasts_) continue;
    context_.send("disruption", "PATCH", pods_in(pod.ns) + "/" + pod.name + "/status",
                  fmt::format(R"({{"metadata":{{"uid":"{}"}},"status":{{"conditions":[)"
                              R"({{"type":"DisruptionTarget","status":"False"}}]}}}})",
                              pod.uid));
  }
}

// A deleted group stays as long as one of its pods may run.
void Collectors::let_groups_go() {
  for (const auto& [key, group] : std::map(context_.cluster.groups)) {
    if (!group.is_being_deleted || !group.is_protected) continue;
    const auto pods = context_.cluster.pods_of_group(group.ns, group.name);
    if (!std::ranges::all_of(pods, &Pod::has_ended)) continue;
    context_.send("protection", "PATCH", groups_in(group.ns) + "/" + group.name,
                  fmt::format(R"({{"metadata":{{"uid":"{}","finalizers":null}}}})", group.uid));
  }
}

// Objects with finalizers, and pods that stop slowly, delay it: the collector checks again.
void Collectors::empty(const std::string& ns) {
  for (const std::string& collection : {templates_in(ns), claims_in(ns), pods_in(ns)}) {
    context_.send("namespaces", "DELETE", collection, "");
  }
  const auto is_in = [&](const auto& entry) { return entry.first.starts_with(ns + "/"); };
  const bool has_groups = std::ranges::any_of(context_.cluster.groups, is_in);
  if (has_groups) context_.send("namespaces", "DELETE", groups_in(ns), "");
  if (has_groups || std::ranges::any_of(context_.cluster.pods, is_in) ||
      std::ranges::any_of(context_.cluster.claims, is_in) ||
      std::ranges::any_of(context_.cluster.templates, is_in)) {
    return;
  }
  context_.send(
      "namespaces", "PUT", kNamespaces + "/" + ns + "/finalize",
      fmt::format(R"({{"apiVersion":"v1","kind":"Namespace",{},"spec":{{"finalizers":[]}}}})",
                  meta(ns)));
}

}  // namespace dcm::simulation
