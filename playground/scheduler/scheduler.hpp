// A small scheduler for pods with ResourceClaims: allocates devices to claims, reserves the claims,
// binds the pod. A client of the API like any other.
//
// It supports kube-scheduler's device features: the plugin DynamicResources with the structured
// allocator (allocation/). Of other plugins: node selectors, required node affinity, and taints
// with tolerations. It picks the next node in turn where the claims fit. A pod with an unknown
// request stays pending, and its condition PodScheduled names the field. Do not run it beside
// kube-scheduler.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "client/events/event_recorder.hpp"
#include "playground/objects/caches.hpp"
#include "playground/part.hpp"
#include "playground/scheduler/claim_writer.hpp"
#include "playground/scheduler/decide_placement.hpp"
#include "playground/scheduler/error_backoff.hpp"
#include "playground/scheduler/waiting_room.hpp"

namespace dcm::playground {

inline constexpr std::string_view kSchedulerName = "default-scheduler";  // in events

// Created before the caches run. Decisions are made one at a time, and their devices are taken at
// once; only writes for several pods are concurrent.
class Scheduler {
 public:
  // `api` and `caches` must outlive it.
  Scheduler(Process process, Api& api, Caches& caches);

  // Call after the first sync. Ends only by cancellation.
  Task<> run();

  const Devices& devices() const { return devices_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Release;
  // For binding conditions.
  struct Wait {
    InternedString node;  // the chosen one
    runtime::WallTime since;
  };

  Task<Outcome> handle(api::NamespacedName name);
  Task<> rest();
  Verdict decide(const Pod& pod);
  Task<Outcome> carry_out(api::ObjectPtr<Pod> pod, Placement placement);
  Task<Result<>> pre_bind(const Pod& pod, Placement& placement);
  Task<Result<>> provide_extended(const Pod& pod, ExtendedStep& step);
  Task<Outcome> bind(api::ObjectPtr<Pod> pod, InternedString node);
  // For a pod that waits for binding conditions.
  Task<Outcome> look_at_conditions(api::ObjectPtr<Pod> pod);
  Task<Outcome> turn_down(api::ObjectPtr<Pod> pod, Unschedulable verdict);
  Task<Outcome> report(api::ObjectPtr<Pod> pod, Unschedulable verdict);
  Outcome settle(const Pod& pod, const Result<>& written);

  ClusterView view();
  void hold(const Placement& placement);
  void release(ClaimStep& step);
  void release(ExtendedStep& step);
  PodClaims claims_in_use(const Pod& pod);
  // The claim that the scheduler has made for the pod's extended resources; null if there is none.
  ClaimPtr extended_claim(const Pod& pod) const;
  // The pod does not use its claims after all.
  Task<> unreserve(const Pod& pod);
  // Whether the claims wait for binding conditions; then the pod is checked again.
  bool must_wait(const Pod& pod, const Wait& wait);
  void try_others_later(const Placement& placement);
  void leave_line(const api::NamespacedName& pod);
  void try_heads();
  void wake_pods_of(const api::NamespacedName& claim);

  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after);
  void observe_claim(const api::ObjectPtr<Claim>& before, const api::ObjectPtr<Claim>& after);
  void observe_slice(const api::ObjectPtr<Slice>& before, const api::ObjectPtr<Slice>& after);
  void observe_node(const api::ObjectPtr<Node>& before, const api::ObjectPtr<Node>& after);

  Process process_;
  Api& api_;
  Caches& caches_;
  ClaimWriter writer_;
  client::EventRecorder events_;
  informers::Index<Pod, api::NamespacedName> unbound_by_claim_;
  informers::Index<Claim, api::Uid> extended_by_pod_;
  Devices devices_;
  cel::SelectorCompiler compiler_;
  Misfits misfits_;
  std::vector<NodePtr> nodes_;                         // the next one to try first
  std::unordered_set<api::NamespacedName> in_flight_;  // claims that are being allocated
  // Pods whose claims wait for binding conditions.
  std::unordered_map<api::NamespacedName, Wait> awaiting_;
  std::unordered_set<api::NamespacedName> bound_;  // pods that the cache shows without a node
  runtime::MonoTime rests_until_{};                // for others, after a long attempt
  WaitingRoom waiting_;
  ErrorBackoff errors_;
  Worklist work_;
  OnChange<Pod> on_pod_;
  OnChange<Claim> on_claim_;
  OnChange<Slice> on_slice_;
  OnChange<Node> on_node_;
  OnChange<DeviceClass> on_device_class_;
  OnChange<api::DeviceTaintRule> on_rule_;
};

}  // namespace dcm::playground
