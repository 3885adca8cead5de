// Devices of real drivers on one node: the node's agent connects the node's pods to drivers that
// serve their Unix sockets, like kubelet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "client/events/event_recorder.hpp"
#include "node/agent/agent.hpp"
#include "node/devices/pod_resources.hpp"
#include "node/posix_files.hpp"
#include "playground/cluster/folder_lock.hpp"
#include "playground/cluster/node_api_client.hpp"
#include "playground/cluster/pod_devices.hpp"
#include "playground/cluster/shown_devices.hpp"
#include "playground/objects/caches.hpp"

namespace dcm::playground {

// When a pod whose claims could not be prepared is retried.
enum class PrepareRetry : std::uint8_t {
  as_kubelet,  // after 60 s to 90 s, or when the pod changes
  backoff,     // after 1 s, 2 s, … up to 60 s, and at once when a driver connects
};

struct RealDevicesOptions {
  node::AgentOptions agent;
  PrepareRetry prepare_retry = PrepareRetry::as_kubelet;
  // Where DIR/POD UID/CONTAINER.json shows what each container would get; empty: nowhere.
  std::string show_devices = {};
  // Where a container runtime would look for CDI specs: a pod starts only if each of its devices is
  // described there. Empty: not checked.
  std::vector<std::string> cdi_folders = {};
  // The socket on which monitoring agents query the devices of containers; empty: none.
  std::string pod_resources = {};
};

// Created before the cache runs.
class RealDevices final : public PodDevices {
 public:
  // `api`, `rest` and `pods` must outlive it.
  RealDevices(Process process, Api& api, client::RestClient& rest, Cache<Pod>& pods,
              RealDevicesOptions options, WakePod wake);

  // Locks the node's folder and reads the checkpoint. Call this first, after make_folders().
  Result<> open();
  // Ends only by cancellation.
  Task<> run();

  ClaimsReady look(const Pod&) const override { return ClaimsReady::yes; }
  Task<std::optional<Outcome>> prepare(api::ObjectPtr<Pod> pod) override;
  Task<std::optional<Outcome>> unprepare(api::ObjectPtr<Pod> pod) override;
  DevicesHealth health_of(const Pod& pod) const override;

 private:
  Task<> watch_pods();
  Task<> enter_running_pods();
  // Whether nothing is left to try: the pod's entries exist, or it no longer runs.
  Task<bool> enter(api::ObjectPtr<Pod> pod);
  std::vector<api::ObjectPtr<Pod>> pods_here() const;
  std::vector<node::PodUse> uses() const;
  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after);
  void wake_waiting();
  Outcome retry_prepare(const Pod& pod);
  std::vector<AllocatedResource> health_of(const Pod& pod, const Container& container) const;
  std::optional<std::string> missing_cdi_device(const Pod& pod);
  void warn(const Pod& pod, std::string_view reason, const std::string& message);
  void show(const Pod& pod);
  void note_unshown(const Pod& pod, const Result<>& done) const;

  Process process_;
  RealDevicesOptions options_;
  Cache<Pod>& pods_;
  WakePod wake_;
  std::optional<FolderLock> lock_;
  NodeApiClient node_api_;
  std::unique_ptr<http::Transport> drivers_;
  node::PosixFiles files_;
  std::optional<ShownDevices> shown_;
  client::EventRecorder events_;
  node::Agent agent_;
  grpc::Methods methods_;
  std::unique_ptr<http::Listener> pod_resources_;
  std::map<api::NamespacedName, std::uint64_t> failed_prepares_;  // in a row
  // Pods of this node, by UID.
  std::set<std::string> active_;       // not in a final phase
  std::set<std::string> running_;      // whose containers run
  std::set<std::string> not_entered_;  // whose lost entries are still missing
  bool has_listed_ = false;
  bool has_heard_of_drivers_ = false;
  std::set<api::NamespacedName> wait_for_drivers_;
  OnChange<Pod> on_pod_;
};

// Creates missing parts of the node's folder. Errors: configuration, with the folder.
Result<> make_folders(const RealDevicesOptions& options);

// For a node whose folder is structured like kubelet's root folder (/var/lib/kubelet).
node::AgentOptions agent_options(std::string node, const std::string& root);

}  // namespace dcm::playground
