// Objects as large as a server lets them be: a request has at most 3 MiB, most lists have a bound.
#pragma once

#include <string>

#include "test/simulation/actor.hpp"
#include "test/simulation/reports.hpp"

namespace dcm::simulation {

class Giants {
 public:
  explicit Giants(ActorContext context) : context_(context) {}

  // Creates a slice, a claim and a rule with far more text than a manager needs.
  void make_large_objects();
  // Creates a pod with thousands of claims, most of which have no template.
  void make_pod();
  bool has_pod_its_claims() const;
  // Leaves a claim one reservation, and creates two pods that need one each.
  void fill_claim();
  // Whether one of them has it, and an event says why the other one has none.
  bool are_both_answered(const Reports& reports) const;
  // Deletes the pod that has the reservation.
  void delete_consumer();
  // Deletes all of it.
  void remove();

 private:
  void make_claim(const std::string& name, const std::string& status);
  void make_pod(const std::string& name, const std::string& spec);
  const Pod* consumer(bool is_reserved) const;

  ActorContext context_;
};

}  // namespace dcm::simulation
