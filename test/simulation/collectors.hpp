// The other controllers of kube-controller-manager that matter here: the garbage collector, the
// namespace controller, which empties and finalizes deleted namespaces, the controller that
// protects pod groups, and the disruption controller, which withdraws marks of pods that stay.
#pragma once

#include <string>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

class Collectors final : Actor {
 public:
  Collectors(ActorContext context, runtime::Rng rng);

  // Ends only by cancellation.
  runtime::Task<> run();

 private:
  void collect_orphans();
  void let_groups_go();
  void take_marks_back();
  void empty(const std::string& ns);

  runtime::Duration mark_lasts_;
};

}  // namespace dcm::simulation
