// The scheduler's writes to claims: PreBind, Unreserve and PostFilter of kube-scheduler's plugin
// DynamicResources, as patches.
#pragma once

#include <span>
#include <vector>

#include "playground/objects/caches.hpp"
#include "playground/part.hpp"
#include "playground/scheduler/decide_placement.hpp"

namespace dcm::playground {

// All references must outlive the call. Answers are in the cache when a call returns.
class ClaimWriter {
 public:
  ClaimWriter(runtime::TimeSource& time, Api& api, Caches& caches)
      : time_(time), api_(api), caches_(caches) {}

  // Sets the finalizer, then allocation and reservation for the pod in one write. After an error it
  // is known whether the allocation was written: the cache shows it.
  Task<Result<>> allocate(const Pod& pod, const ClaimStep& step);
  // Reserves the claim, if it still has the allocation for which the decision was made.
  Task<Result<>> reserve(const Pod& pod, const ClaimStep& step);
  // Creates the claim for extended resources, and records in the pod's status which requests belong
  // to which container.
  Task<Result<ClaimPtr>> make_extended(const Pod& pod, const allocation::ExtendedClaim& claim);
  Task<Result<>> note_extended(const Pod& pod, const Claim& claim,
                               std::span<const allocation::RequestMapping> mappings);

  // The pod does not use these claims after all. The allocations stay.
  Task<> unreserve(const Pod& pod, const std::vector<ClaimPtr>& claims);
  Task<Result<>> deallocate(const Claim& claim);
  // Deletes the claim for extended resources: nobody else can use it.
  Task<Result<>> remove_extended(const Claim& claim);

 private:
  Task<Result<ClaimPtr>> protect(ClaimPtr claim);
  Task<> look_again(api::NamespacedName claim);

  runtime::TimeSource& time_;
  Api& api_;
  Caches& caches_;
};

}  // namespace dcm::playground
