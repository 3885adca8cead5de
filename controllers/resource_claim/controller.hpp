// The resource claim controller: creates claims from templates, reserves them, and releases them.
//
// Does the work of kube-controller-manager's resourceclaim-controller (KEP-4381, KEP-5729); never
// run both. This class is only the frame: caches wake items (wakeups.hpp), and workers handle them
// (claim_user_sync.hpp, claim_sync.hpp) as decided by decide_pod.hpp and decide_claim.hpp.
#pragma once

#include "client/api/event_sink.hpp"
#include "controllers/common/explainer.hpp"
#include "controllers/common/feature_gates.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/explain/explain.hpp"
#include "controllers/resource_claim/item.hpp"
#include "controllers/resource_claim/metrics.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/claim_sync.hpp"
#include "controllers/resource_claim/sync/claim_user_sync.hpp"
#include "controllers/resource_claim/sync/foreign_claims.hpp"
#include "controllers/resource_claim/sync/wakeups.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"
#include "workqueue/workers.hpp"

namespace dcm::resource_claim {

struct ControllerOptions {
  std::size_t workers = 50;
  common::FeatureGates gates = {};
  std::size_t deleted_uids_remembered = UidMemory::kDefaultCapacity;
};

// Lifetime: created after the indexes are declared, before the informers run; observe() subscribes
// to their changes; on standby until run(), which is called once, with all stores synced and the
// right to write; stop() ends it.
class Controller {
 public:
  // All references must outlive it.
  struct Dependencies {
    Stores stores;
    ClaimApi& api;
    api::EventSink& events;
    ForeignClaims& foreign;
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    runtime::Logger log;
  };

  Controller(Dependencies dependencies, ControllerOptions options);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Call before the informers run. The arguments are informers or bare stores, and must outlive it.
  template <class Pods, class Claims, class Templates>
  void observe(Pods& pods, Claims& claims, Templates& templates) {
    pods.add_observer(wakeups_);
    claims.add_observer(wakeups_);
    claims.add_observer(census_);
    templates.add_observer(wakeups_);
  }

  // The same for groups, if the stores have them: before their informer runs.
  template <class Groups>
  void observe_groups(Groups& groups) {
    groups.add_observer(wakeups_);
  }
  // Sets the version in which groups are served: "scheduling.k8s.io/v1beta1". Before their informer
  // runs, which may be after run().
  void use_groups(std::string api_version) { user_sync_.use_group_version(std::move(api_version)); }

  // Enqueues cached objects as backlog, and works until stop() (or cancellation).
  Task<> run();
  // Starts nothing new; run() ends when work in progress is done. Idempotent.
  void stop();
  // The API server works again: failed items are retried at once.
  void retry_now() { queue_.retry_now(); }
  // Explanations of objects in its caches: its current work for them and why, and the state of its
  // queue.
  std::vector<common::Topic> explain_pod(const PodPtr& pod, Miss miss) const;
  std::vector<common::Topic> explain_claim(const ClaimPtr& claim, Miss miss) const;
  std::vector<common::Topic> explain_group(const GroupPtr& group, Miss miss) const;
  // Null: there is no such group, or the gate for groups is off.
  GroupPtr find_group(const api::NamespacedName& key) const {
    return stores_.groups ? stores_.groups->groups.get(key) : nullptr;
  }
  // How many pods of the group have claims.
  std::size_t pods_of(const api::PodGroup& group) const {
    return stores_.groups->pods_by_group.get(group.meta.key).size();
  }

  // The load of its queue.
  workqueue::Load load() const { return queue_.load(); }

 private:
  void wake(const WaitingItem& waiting, Outcome outcome);
  Task<Outcome> handle(Item item);
  Task<Outcome> sync(Item item, Priority priority);
  void explain_work(const Item& item, std::vector<common::Topic>& topics) const;

  ControllerOptions options_;
  runtime::TimeSource& time_;
  Stores stores_;
  CreateMetrics create_metrics_;
  ClaimLatency latency_;
  ClaimCensus census_;
  ItemQueue queue_;
  workqueue::HandlerFailures failures_;
  ItemProblems problems_;
  FailingObjects failing_;
  Wakeups wakeups_;
  ClaimUserSync user_sync_;
  ClaimSync claim_sync_;
};

// `controller` must outlive it.
common::Explainer explainer_of(const Controller& controller, Miss miss);

}  // namespace dcm::resource_claim
