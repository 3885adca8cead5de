// The controller's requests to the API server: each defined once, as narrow as its use.
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

// The requests that are answered with a User: a pod or a pod group.
template <class User>
using UserRequest = std::variant<Get<User>, ApplyNames<User>>;
using PodRequest = UserRequest<api::Pod>;
using GroupRequest = UserRequest<api::PodGroup>;
// Errors: already_exists of CreateClaim may mean the same claim, from an earlier create. A conflict
// of the other writes means that the step's claim is outdated. RemoveFinalizer may be the end of a
// claim in deletion; it then returns the claim's last state.
using ClaimRequest =
    std::variant<Get<api::ResourceClaim>, CreateClaim, Reserve, Release, RemoveFinalizer>;

// `priority` decides which request goes first under the client's own limits. Every write carries
// its preconditions (UID, resourceVersion), so each may be repeated; errors are those of
// runtime::Error. Returned objects are never null.
class ClaimApi {
 public:
  virtual ~ClaimApi() = default;

  virtual Task<Result<PodPtr>> send(PodRequest request, Priority priority) = 0;
  virtual Task<Result<GroupPtr>> send(GroupRequest request, Priority priority) = 0;
  virtual Task<Result<ClaimPtr>> send(ClaimRequest request, Priority priority) = 0;
  // Errors not_found and conflict: the claim is gone, or was replaced under its name.
  virtual Task<Result<>> send(DeleteClaim request, Priority priority) = 0;
};

}  // namespace dcm::resource_claim
