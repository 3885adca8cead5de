// Claims that look as if another manager had made them: by a tenant's hand, and from a backup.
#pragma once

#include <string>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

class Copies {
 public:
  explicit Copies(ActorContext context) : context_(context) {}

  // In namespaces of their own, and one beside each claim that was made for a pod. Their owners do
  // not exist, so the garbage collector takes them.
  void bring();
  // A pod of another namespace that needs a claim.
  void make_pod();
  bool has_pod_its_claim() const;
  // Takes the pod away.
  void remove_pod();

 private:
  ActorContext context_;
};

}  // namespace dcm::simulation
