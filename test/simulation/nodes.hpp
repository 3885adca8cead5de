// Kubelets: run pods whose claims are prepared, end them, and release deleted ones.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "test/simulation/kubelet.hpp"

namespace dcm::simulation {

class Nodes final : Actor {
 public:
  Nodes(ActorContext context, runtime::Rng rng, common::GroupClaims groups);

  // Ends only by cancellation: even after all others have stopped, deleted pods end.
  runtime::Task<> run();
  // Call after run().
  runtime::Task<> stop();
  const std::optional<Breach>& breach() const { return breach_; }

 private:
  common::GroupClaims groups_;
  Kubelet::Likelihood likelihood_;
  std::map<std::string, Kubelet> kubelets_;  // by node
  std::optional<Breach> breach_;
};

}  // namespace dcm::simulation
