// The other controllers of kube-controller-manager that matter here: the garbage collector, the
// namespace controller, which empties a deleted namespace and lets it go, the one that protects pod
// groups, and the disruption controller, which takes a mark back whose pod stays.
#pragma once

#include <string>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

class Collectors final : Actor {
 public:
  Collectors(ActorContext context, runtime::Rng rng);

  // Ends by cancellation only.
  runtime::Task<> run();

 private:
  void collect_orphans();
  void let_groups_go();
  void take_marks_back();
  void empty(const std::string& ns);

  runtime::Duration mark_lasts_;
};

}  // namespace dcm::simulation
