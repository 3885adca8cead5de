#include "test/simulation/nodes.hpp"

#include <algorithm>

namespace dcm::simulation {

using runtime::Task;

Nodes::Nodes(Scene scene, runtime::Rng rng) : Actor(scene, rng) {
  finish_share_ = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.05;
}

Task<> Nodes::run() {
  for (;;) {
    co_await pause(2);
    const auto& pods = scene_.cluster.pods;
    for (auto next = pods.begin(); next != pods.end();) {
      const Pod& pod = (next++)->second;  // which may be gone when its turn is over
      if (!pod.node.empty()) run_pod(pod);
    }
  }
}

void Nodes::run_pod(const Pod& pod) {
  const auto target = [&pod] { return pods_in(pod.ns) + "/" + pod.name; };
  const runtime::MonoTime now = scene_.loop.time().now();
  if (pod.is_being_deleted) {
    const auto [gone, is_new] =
        dying_.try_emplace(pod.uid, now + std::chrono::milliseconds(rng_.below(30'000)));
    if (now < gone->second) return;
    scene_.send("kubelet", "DELETE", target(), delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
    return;
  }
  if (pod.has_ended() || scene_.is_over()) return;
  if (pod.phase == "Pending") {
    if (!may_start(pod)) return;
    scene_.send("kubelet", "PATCH", target() + "/status", R"({"status":{"phase":"Running"}})");
  } else if (chance(finish_share_)) {
    scene_.send("kubelet", "PATCH", target() + "/status", R"({"status":{"phase":"Succeeded"}})");
  }
}

bool Nodes::may_start(const Pod& pod) const {
  return std::ranges::all_of(pod.claims, [&](const PodClaim& pod_claim) {
    const Claim* claim = scene_.cluster.usable_claim(pod, pod_claim);
    return claim != nullptr && claim->is_reserved_for(pod);
  });
}

}  // namespace dcm::simulation
