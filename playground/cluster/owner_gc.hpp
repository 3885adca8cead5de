// Deletes claims whose pod is gone, as the garbage collector of kube-controller-manager does.
//
// Follows only controller owner references from claims to pods. Before a delete it asks the API
// server, since its cache may be stale. Do not run it beside the real collector.
#pragma once

#include "playground/objects/caches.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// Created before the caches run.
class OwnerGc {
 public:
  // `api` and `caches` must outlive it.
  OwnerGc(Process process, Api& api, Caches& caches);

  // Call after the first sync. Ends only by cancellation.
  Task<> run();

 private:
  Task<Outcome> handle(api::NamespacedName name);
  // Whether the API server has the pod that owns the claim.
  Task<Result<bool>> is_owner_there(api::ObjectPtr<Claim> claim);

  Api& api_;
  Caches& caches_;
  informers::Index<Claim, api::Uid> by_owner_;
  Worklist work_;
  OnChange<Pod> on_pod_;
  OnChange<Claim> on_claim_;
};

}  // namespace dcm::playground
