// A small scheduler for pods with ResourceClaims: gives devices to claims, reserves the claims,
// binds the pod (KEP-4381). A client of the API like any other.
//
// It knows device classes that name a driver, counts and `All`, and configuration. It knows no
// resources, affinities, priorities, preemption, CEL or alternatives. It picks the next node in
// turn where the devices are free, and there the devices that kube-scheduler picks. A pod with an
// unknown request stays pending, and its condition PodScheduled names the field. Not to be run
// beside kube-scheduler.
#pragma once

#include <unordered_set>
#include <vector>

#include "cmd/dra-playground/objects/caches.hpp"
#include "cmd/dra-playground/part.hpp"
#include "cmd/dra-playground/scheduler/decide_placement.hpp"
#include "cmd/dra-playground/scheduler/waiting_room.hpp"

namespace dcm::playground {

// Made before the caches run. Decisions are made one at a time, and what they take is taken at
// once; only the writes of several pods go on together.
class Scheduler {
 public:
  // `api` and `caches` must outlive it.
  Scheduler(PartContext context, Api& api, Caches& caches);

  // After the first sync. Ends by cancellation only.
  Task<> run();

  const Inventory& inventory() const { return inventory_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  Task<Outcome> handle(api::NamespacedName name);
  Task<Outcome> carry_out(api::ObjectPtr<Pod> pod, Placement placement);
  Task<Result<>> allocate(const Pod& pod, const ClaimStep& step, const InternedString& node);
  Task<Result<>> reserve(const Pod& pod, const ClaimStep& step);
  Task<> look_again(api::NamespacedName claim);
  Task<Outcome> report(api::ObjectPtr<Pod> pod, Unschedulable verdict);

  ClusterView view() const;
  void hold(const Placement& placement);
  void release(const Placement& placement);
  void try_others_later(const Placement& placement);
  void leave_line(const api::NamespacedName& pod);
  void try_heads();
  void wake_pods_of(const api::NamespacedName& claim);

  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after);
  void observe_claim(const api::ObjectPtr<Claim>& before, const api::ObjectPtr<Claim>& after);
  void observe_slice(const api::ObjectPtr<Slice>& before, const api::ObjectPtr<Slice>& after);
  void observe_node(const api::ObjectPtr<Node>& before, const api::ObjectPtr<Node>& after);

  PartContext context_;
  Api& api_;
  Caches& caches_;
  informers::Index<Pod, api::NamespacedName> unbound_by_claim_;
  Inventory inventory_;
  std::vector<SchedulableNode> nodes_;                  // that take pods; the next one to try first
  std::map<InternedString, std::string> closed_nodes_;  // that take none, and why
  std::unordered_set<api::NamespacedName> in_flight_;   // claims that are being allocated
  WaitingRoom waiting_;
  Worklist work_;
  OnChange<Pod> on_pod_;
  OnChange<Claim> on_claim_;
  OnChange<Slice> on_slice_;
  OnChange<Node> on_node_;
  OnChange<DeviceClass> on_device_class_;
  OnChange<api::DeviceTaintRule> on_rule_;
};

}  // namespace dcm::playground
