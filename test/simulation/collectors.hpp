// The other controllers of kube-controller-manager that matter here: the garbage collector, the
// namespace controller, which empties a deleted namespace and lets it go, and the one that protects
// pod groups.
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
  void let_groups_go();
  void empty(const std::string& ns);
};

}  // namespace dcm::simulation
