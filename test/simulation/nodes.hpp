// Kubelets: run pods whose claims are reserved, end them, and let go of deleted ones.
#pragma once

#include <map>
#include <string>

#include "test/simulation/scene.hpp"

namespace dcm::simulation {

class Nodes final : Actor {
 public:
  Nodes(Scene scene, runtime::Rng rng);

  // Ends by cancellation only: also when all others have gone home, deleted pods end.
  runtime::Task<> run();

 private:
  void run_pod(const Pod& pod);
  bool may_start(const Pod& pod) const;

  double finish_share_ = 0;
  std::map<std::string, runtime::MonoTime> dying_;  // pods, by UID: when they are gone
};

}  // namespace dcm::simulation
