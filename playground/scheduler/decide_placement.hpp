// Where a pod goes and which devices its claims get: pure, apart from its memory of misfits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "playground/scheduler/filter.hpp"

namespace dcm::playground {

// There is nothing to schedule (any more).
struct NotOurs {};
// The pod's claims are not all there: a change of them will tell.
struct WaitForClaims {
  std::string why;
};
// No node will do now. Pods with the same `line` want exactly the same: while the first of them
// finds no place, the others need not be tried.
struct Unschedulable {
  enum class Kind : std::uint8_t { unschedulable, error };  // reasons of the condition
  Kind kind = Kind::unschedulable;
  std::string why;  // in kube-scheduler's words
  std::string line;
  // The claim whose devices are of no use to the pod, and that nobody else uses: it is to lose
  // them. Of extended resources: to be deleted. Null: none.
  ClaimPtr to_deallocate = {};
};
struct ClaimStep {
  ClaimPtr claim;
  // Nothing for a claim that has one: it is only to be reserved.
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
