// Nodes without machines: they run bound pods until their end.
//
// Takes the place of kubelet: decides what runs on a node (decide_life.hpp) and writes it to the
// API; PodDevices, pretended or real, handles devices before and after.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "client/events/event_recorder.hpp"
#include "playground/cluster/pod_addresses.hpp"
#include "playground/cluster/pod_devices.hpp"
#include "playground/cluster/quiet_write.hpp"
#include "playground/objects/caches.hpp"
#include "playground/part.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {

// Whether the machines have just started: then no earlier container runs.
enum class Booted : std::uint8_t { no, yes };

struct HollowNodesOptions {
  std::vector<std::string> names;
  std::vector<std::string> declared_features = {};  // status.declaredFeatures of each (KEP-5328)
  Booted booted = Booted::no;
};

// Created before the cache runs.
class HollowNodes {
 public:
  // The devices of a node, by its name.
  using DevicesOf = std::function<PodDevices&(const api::InternedString& node)>;

  // `api` and `pods` must outlive it, and so must the results of `devices`.
  HollowNodes(Process process, Api& api, Cache<Pod>& pods, HollowNodesOptions options,
              DevicesOf devices);

  // Creates the Node objects, or makes existing ones ready.
  Task<Result<>> publish();
  // Call after the first sync. Ends only by cancellation.
  Task<> run();
  void wake(const api::NamespacedName& pod) { work_.add(pod); }

 private:
  // The history of a pod on one of our nodes.
  struct Life {
    std::optional<runtime::MonoTime> started;
    std::optional<runtime::MonoTime> deleted;
    std::size_t written =
        0;                  // hash of the status of the running pod; 0: not written by this process
    int more_restarts = 0;  // in addition to restarts that follow from its age
    bool is_rebooted = false;  // its containers were lost with the machine
    bool says_creating = false;
    bool is_unprepared = false;  // its devices
    bool is_let_go = false;      // its object is kept only by finalizers
    QuietWrite quiet;
    std::string told_misspelt;
  };

  enum class StartSeen { at_once, later };
  enum class Wakes { no, yes };

  Task<Result<>> publish_node(std::string name);
  Task<Outcome> handle(api::NamespacedName name);
  Task<Outcome> start(api::ObjectPtr<Pod> pod);
  // Starts the pod again after a restart of its machine.
  Task<Outcome> start_again(api::ObjectPtr<Pod> pod);
  // Prepares the pod's devices, but as kubelet only until the pod is deleted.
  Task<std::optional<Outcome>> prepare(api::ObjectPtr<Pod> pod);
  void stop_preparing(const api::Uid& pod);
  Task<> show_creating(api::ObjectPtr<Pod> pod);
  // Ends the pod after its devices have been released.
  Task<Outcome> finish(api::ObjectPtr<Pod> pod, Ending ending);
  // Releases the pod's devices once.
  Task<std::optional<Outcome>> unprepare(api::ObjectPtr<Pod> pod);
  // Writes the status of a running pod if it has changed.
  Task<Outcome> show_running(api::ObjectPtr<Pod> pod, Outcome otherwise);
  RunningPod running_now(const Pod& pod, const Life& life);
  static bool is_as_found(const Pod& pod, const Life& life, const RunningPod& running);
  Task<Outcome> write_status(api::ObjectPtr<Pod> pod, std::string body, Wakes wakes = Wakes::yes);
  void warn_of_misspelt(const Pod& pod, Life& life);
  Task<Outcome> remove(api::ObjectPtr<Pod> pod);
  Outcome refused(std::string_view what, const Pod& pod, const runtime::Error& error);
  PodAddress address_of(const Pod& pod);
  // Null once the pod has gone, which may happen during each wait.
  Life* life_of(const Pod& pod);
  // The pod's newest state; null if it has been deleted, replaced or started meanwhile.
  api::ObjectPtr<Pod> unchanged(const Pod& pod) const;
  PodTimes times_of(const Pod& pod, const Life& life) const;
  runtime::MonoTime start_of(const Pod& pod, StartSeen seen) const;
  bool is_ours(const Pod& pod) const { return ours_.contains(pod.node_name); }
  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after);

  Process process_;
  Api& api_;
  Cache<Pod>& pods_;
  DevicesOf devices_;
  HollowNodesOptions options_;
  std::unordered_set<InternedString> ours_;   // by name
  std::unordered_map<api::Uid, Life> lives_;  // entries are made and erased in observe_pod() only
  std::unordered_map<api::Uid, runtime::TaskGroup*> prepares_;  // running; by pod
  PodAddresses addresses_;
  client::EventRecorder events_;
  Worklist work_;
  OnChange<Pod> on_pod_;
};

}  // namespace dcm::playground
