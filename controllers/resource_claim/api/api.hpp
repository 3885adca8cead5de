// The controller's requests to the API server: each exists once, as narrow as its use.
#pragma once

#include <string>
#include <vector>

#include "controllers/resource_claim/rules/decide_claim.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"
#include "workqueue/priority.hpp"

namespace dcm::resource_claim {

using runtime::InternedString;
using runtime::Result;
using runtime::Task;
using workqueue::Priority;

// `priority` says what goes first where the client's own limits make requests wait. Every write
// carries what it relies on (UID, resourceVersion), so each may be repeated; errors are those of
// runtime::Error. Objects that come back are never null.
class ClaimApi {
 public:
  virtual ~ClaimApi() = default;

  virtual Task<Result<PodPtr>> get_pod(api::NamespacedName pod, Priority priority) = 0;
  virtual Task<Result<GroupPtr>> get_group(api::NamespacedName group, Priority priority) = 0;
  virtual Task<Result<ClaimPtr>> get_claim(api::NamespacedName claim, Priority priority) = 0;

  // Already exists: it may be the same claim, of an earlier create.
  virtual Task<Result<ClaimPtr>> create_claim(InternedString namespace_, CreateClaim claim,
                                              Priority priority) = 0;
  // Server-side apply of all names of the pod, or of the group.
  virtual Task<Result<PodPtr>> write_names(PodPtr pod, std::vector<ClaimName> names,
                                           Priority priority) = 0;
  virtual Task<Result<GroupPtr>> write_group_names(GroupPtr group, std::vector<ClaimName> names,
                                                   Priority priority) = 0;

  // Conflict: `claim` is not the newest state.
  virtual Task<Result<ClaimPtr>> reserve(ClaimPtr claim, api::ConsumerReference consumer,
                                         Priority priority) = 0;
  virtual Task<Result<ClaimPtr>> release(ClaimPtr claim, Release what, Priority priority) = 0;
  // Removes the delete protection. A claim that is being deleted may be gone with it; the answer is
  // its last state then.
  virtual Task<Result<ClaimPtr>> remove_finalizer(ClaimPtr claim, Priority priority) = 0;
  // Not found and conflict: it is gone, or another one has the name.
  virtual Task<Result<>> delete_claim(ClaimPtr claim, Priority priority) = 0;
};

}  // namespace dcm::resource_claim
