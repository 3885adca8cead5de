// Where a pod is placed and which devices its claims get: pure, apart from its memory of misfits.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "playground/scheduler/filter.hpp"

namespace dcm::playground {

// There is nothing (left) to schedule.
struct NotOurs {};
// Some of the pod's claims are missing: their changes will trigger another attempt.
struct WaitForClaims {
  std::string why;
};
// No node fits now. Pods with the same `line` have equal requests: while the first of them finds no
// place, the others need not be tried.
struct Unschedulable {
  enum class Kind : std::uint8_t { unschedulable, error };  // reasons of the condition
  Kind kind = Kind::unschedulable;
  std::string why;  // in kube-scheduler's words
  std::string line;
  // The claim to deallocate, because its devices are useless to the pod and nobody else uses it.
  // Null: none.
  ClaimPtr to_deallocate = {};
  // The claim for extended resources that an earlier attempt left; null: none.
  ClaimPtr to_delete = {};
};
struct ClaimStep {
  ClaimPtr claim;
  // nullopt for an allocated claim: it only needs a reservation.
  std::optional<allocation::AllocationResult> allocation = {};
};
struct ExtendedStep {
  allocation::ExtendedClaim claim;
  allocation::AllocationResult allocation;
};
struct Placement {
  InternedString node;
  std::vector<ClaimStep> steps;
  std::optional<ExtendedStep> extended = {};
};
using Verdict = std::variant<NotOurs, WaitForClaims, Unschedulable, Placement>;

Verdict decide_placement(const Pod& pod, const ClusterView& cluster);

}  // namespace dcm::playground
