// Nodes without machines: they take pods that are bound to them through Running to their end.
//
// The place of a kubelet, and one seam: what runs on a node is decided here (decide_life.hpp) and
// written to the API; what its devices need before and after is PodDevices', pretended or real.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cmd/dra-playground/cluster/pod_devices.hpp"
#include "cmd/dra-playground/objects/caches.hpp"
#include "cmd/dra-playground/part.hpp"

namespace dcm::playground {

// Made before the cache runs.
class HollowNodes {
 public:
  // The devices of a node, by its name.
  using DevicesOf = std::function<PodDevices&(const api::InternedString& node)>;

  // `api` and `pods` must outlive it, as what `devices` returns.
  HollowNodes(PartContext context, Api& api, Cache<Pod>& pods, std::vector<std::string> names,
              DevicesOf devices);

  // Makes the Node objects, or makes those that are there ready.
  Task<Result<>> publish();
  // After the first sync. Ends by cancellation only.
  Task<> run();
  void wake(const api::NamespacedName& pod) { work_.add(pod); }

 private:
  // When things happened to a pod that is on a node of ours.
  struct Life {
    std::optional<runtime::MonoTime> started;
    std::optional<runtime::MonoTime> deleted;
    DevicesHealth health = {};  // as its status says
  };

  enum class StartSeen { at_once, later };

  Task<Result<>> publish_node(std::string name);
  Task<Outcome> handle(api::NamespacedName name);
  Task<Outcome> start(api::ObjectPtr<Pod> pod);
  // After its devices have been given back.
  Task<Outcome> finish(api::ObjectPtr<Pod> pod, api::PodPhase phase);
  Task<Outcome> show_health(api::ObjectPtr<Pod> pod, Outcome otherwise);
  Task<Outcome> write_status(api::ObjectPtr<Pod> pod, std::string body);
  Task<Outcome> remove(api::ObjectPtr<Pod> pod);
  PodTimes times_of(const Pod& pod);
  runtime::MonoTime start_of(const Pod& pod, StartSeen seen) const;
  bool is_ours(const Pod& pod) const { return ours_.contains(pod.node_name); }
  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after);

  PartContext context_;
  Api& api_;
  Cache<Pod>& pods_;
  DevicesOf devices_;
  std::vector<std::string> names_;
  std::unordered_set<InternedString> ours_;  // the same
  std::unordered_map<api::Uid, Life> lives_;
  Worklist work_;
  OnChange<Pod> on_pod_;
};

}  // namespace dcm::playground
