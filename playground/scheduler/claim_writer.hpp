// The scheduler's writes to claims: PreBind, Unreserve and PostFilter of kube-scheduler's plugin
// DynamicResources, as patches.
#pragma once

#include <span>
#include <vector>

#include "playground/objects/caches.hpp"
#include "playground/part.hpp"
#include "playground/scheduler/decide_placement.hpp"

namespace dcm::playground {

// What is passed by reference must outlive the call. Answers are in the cache when a call returns.
class ClaimWriter {
 public:
  ClaimWriter(runtime::TimeSource& time, Api& api, Caches& caches)
      : time_(time), api_(api), caches_(caches) {}

  // Finalizer, then allocation and reservation for the pod in one. After an error it is known
  // whether the allocation was written all the same: the cache shows it.
  Task<Result<>> allocate(const Pod& pod, const ClaimStep& step);
  // As long as the claim has the allocation that was decided for.
  Task<Result<>> reserve(const Pod& pod, const ClaimStep& step);
  // The claim for extended resources; and where the pod's status says which requests are whose.
  Task<Result<ClaimPtr>> make_extended(const Pod& pod, const allocation::ExtendedClaim& claim);
  Task<Result<>> note_extended(const Pod& pod, const Claim& claim,
                               std::span<const allocation::RequestMapping> mappings);

  // The pod does not use its claims after all. The allocations stay, apart from that of the claim
  // for extended resources: nobody else has a use for it, so it goes.
  Task<> unreserve(const Pod& pod, const std::vector<ClaimPtr>& claims);
  // Takes the claim's devices away; one for extended resources goes altogether.
  Task<Result<>> deallocate(const Claim& claim);

 private:
  Task<Result<ClaimPtr>> protect(ClaimPtr claim);
  Task<> look_again(api::NamespacedName claim);

  runtime::TimeSource& time_;
  Api& api_;
  Caches& caches_;
};

}  // namespace dcm::playground
