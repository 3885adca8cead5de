// Nodes without machines: they take pods that are bound to them through Running to their end.
//
// The place of a kubelet, and one seam: what runs on a node is decided here (decide_life.hpp) and
// written to the API; a real DRA kubelet manager would prepare the claims with the drivers between
// "claims are ready" and "Running".
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cmd/dra-playground/cluster/decide_life.hpp"
#include "cmd/dra-playground/objects/caches.hpp"
#include "cmd/dra-playground/part.hpp"

namespace dcm::playground {

// Made before the caches run.
class HollowNodes {
 public:
  // `api` and `caches` must outlive it.
  HollowNodes(PartContext context, Api& api, Caches& caches, std::vector<std::string> names);

  // Makes the Node objects, or makes those that are there ready.
  Task<Result<>> publish();
  // After the first sync. Ends by cancellation only.
  Task<> run();

 private:
  // When things happened to a pod that is on a node of ours.
  struct Life {
    std::optional<runtime::MonoTime> started;
    std::optional<runtime::MonoTime> deleted;
  };

  enum class StartSeen { at_once, later };

  Task<Result<>> publish_node(std::string name);
  Task<Outcome> handle(api::NamespacedName name);
  Task<Outcome> write_status(api::ObjectPtr<Pod> pod, std::string body);
  Task<Outcome> remove(api::ObjectPtr<Pod> pod);
  PodTimes times_of(const Pod& pod);
  ClaimsReady claims_of(const Pod& pod) const;
  runtime::MonoTime start_of(const Pod& pod, StartSeen seen) const;
  bool is_ours(const Pod& pod) const { return ours_.contains(pod.node_name); }
  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after);

  PartContext context_;
  Api& api_;
  Caches& caches_;
  informers::Index<Pod, api::NamespacedName> starting_by_claim_;
  std::vector<std::string> names_;
  std::unordered_set<InternedString> ours_;  // the same
  std::unordered_map<api::Uid, Life> lives_;
  Worklist work_;
  OnChange<Pod> on_pod_;
  OnChange<Claim> on_claim_;
};

}  // namespace dcm::playground
