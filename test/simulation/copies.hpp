// Claims that look as if another manager had created them: forged by a tenant, or from a backup.
#pragma once

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

class Copies {
 public:
  explicit Copies(ActorContext context) : context_(context) {}

  // Creates claims in their own namespaces, and one beside each claim created for a pod. Owners do
  // not exist, so the garbage collector deletes these claims.
  void bring();
  // Creates a pod of another namespace that needs a claim.
  void make_pod();
  bool has_pod_its_claim() const;
  // Deletes the pod.
  void remove_pod();

 private:
  ActorContext context_;
};

}  // namespace dcm::simulation
