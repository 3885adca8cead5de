#include "test/simulation/nodes.hpp"

namespace dcm::simulation {

using runtime::Task;

Nodes::Nodes(ActorContext context, runtime::Rng rng, common::GroupClaims groups)
    : Actor(context, rng), groups_(groups) {
  likelihood_.finish = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.05;
  likelihood_.trouble = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.01;
  likelihood_.crash = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.01;
}

Task<> Nodes::run() {
  for (std::size_t round = 0;; ++round) {
    co_await pause(2);
    for (const auto& [key, pod] : context_.cluster.pods) {
      if (pod.node.empty() || kubelets_.contains(pod.node)) continue;
      kubelets_.try_emplace(pod.node, context_, rng_.fork(), pod.node, groups_, likelihood_);
    }
    for (auto& [node, kubelet] : kubelets_) {
      co_await kubelet.look();
      if (!breach_ && round % 4 == 0) breach_ = kubelet.check();
    }
  }
}

Task<> Nodes::stop() {
  for (auto& [node, kubelet] : kubelets_) co_await kubelet.stop();
}

}  // namespace dcm::simulation
