// The controller's requests to the API server: each exists once, as narrow as its use.
#pragma once

#include <variant>
#include <vector>

#include "controllers/resource_claim/rules/decide_claim.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"
#include "workqueue/priority.hpp"

namespace dcm::resource_claim {

using runtime::Result;
using runtime::Task;
using workqueue::Priority;

template <class T>
struct Get {
  api::NamespacedName key;
};
// Server-side apply of all names of the pod, or of the group.
template <class User>
struct ApplyNames {
  api::ObjectPtr<User> user;
  std::vector<ClaimName> names;
};

// By the kind of the object that the answer is.
template <class User>
using UserRequest = std::variant<Get<User>, ApplyNames<User>>;
using PodRequest = UserRequest<api::Pod>;
using GroupRequest = UserRequest<api::PodGroup>;
// CreateClaim; already exists: it may be the same claim, of an earlier create.
// Reserve, Release, RemoveFinalizer; conflict: the step's claim is not the newest state.
// RemoveFinalizer: a claim that is being deleted may be gone with it; the answer is its last state.
using ClaimRequest =
    std::variant<Get<api::ResourceClaim>, CreateClaim, Reserve, Release, RemoveFinalizer>;

// `priority` says what goes first where the client's own limits make requests wait. Every write
// carries what it relies on (UID, resourceVersion), so each may be repeated; errors are those of
// runtime::Error. Objects that come back are never null.
class ClaimApi {
 public:
  virtual ~ClaimApi() = default;

  virtual Task<Result<PodPtr>> send(PodRequest request, Priority priority) = 0;
  virtual Task<Result<GroupPtr>> send(GroupRequest request, Priority priority) = 0;
  virtual Task<Result<ClaimPtr>> send(ClaimRequest request, Priority priority) = 0;
  // Not found and conflict: it is gone, or another one has the name.
  virtual Task<Result<>> send(DeleteClaim request, Priority priority) = 0;
};

}  // namespace dcm::resource_claim
