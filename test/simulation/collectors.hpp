// The other controllers of kube-controller-manager that matter here: the garbage collector, and the
// namespace controller, which empties a deleted namespace and lets it go.
#pragma once

#include "test/simulation/scene.hpp"

namespace dcm::simulation {

class Collectors final : Actor {
 public:
  Collectors(Scene scene, runtime::Rng rng) : Actor(scene, rng) {}

  // Ends by cancellation only.
  runtime::Task<> run();

 private:
  void collect_orphans();
  void empty(const std::string& ns);
};

}  // namespace dcm::simulation
