// The device taint eviction controller: it evicts pods from devices that they may no longer use.
//
// Does the work of kube-controller-manager's device-taint-eviction-controller (KEP-5055); never run
// both. This class is only the frame: caches tell the tracker (tracker.hpp), the resulting work is
// queued when it is due, and workers carry it out (pod_eviction.hpp, condition_writer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "client/api/event_sink.hpp"
#include "controllers/common/explainer.hpp"
#include "controllers/device_taint_eviction/api/api.hpp"
#include "controllers/device_taint_eviction/device_metrics.hpp"
#include "controllers/device_taint_eviction/explain.hpp"
#include "controllers/device_taint_eviction/metrics.hpp"
#include "controllers/device_taint_eviction/observers.hpp"
#include "controllers/device_taint_eviction/store_lookup.hpp"
#include "controllers/device_taint_eviction/sync/condition_writer.hpp"
#include "controllers/device_taint_eviction/sync/item.hpp"
#include "controllers/device_taint_eviction/sync/pod_eviction.hpp"
#include "controllers/device_taint_eviction/tracker.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"
#include "workqueue/workers.hpp"

namespace dcm::device_taint_eviction {

// Without a status, rules get no condition.
enum class RuleStatus : std::uint8_t { served, not_served };

struct ControllerOptions {
  std::size_t workers = 8;
  EvictionMode mode = EvictionMode::remove;
  double evictions_per_second = 0;  // 0: no limit
};

// Lifetime: created before the informers run; observe() subscribes to their changes; on standby
// until run(), which is called once, with all stores synced and the right to write; stop() ends it.
// On standby it updates its indexes and decides nothing.
class Controller {
 public:
  // All references must outlive it.
  struct Dependencies {
    StoreLookup lookup;
    EvictionApi& api;
    api::EventSink& events;
    runtime::TimeSource& time;
    runtime::Rng rng;
    runtime::MetricsRegistry& metrics;
    runtime::Logger log;
  };

  Controller(Dependencies dependencies, ControllerOptions options);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Call before the informers run. The arguments are informers or bare stores, and must outlive it.
  template <class Pods, class Claims, class Slices>
  void observe(Pods& pods, Claims& claims, Slices& slices) {
    own_pods_.emplace(pods.own_writes());
    pods.add_observer(observers_.pods());
    claims.add_observer(observers_.claims());
    slices.add_observer(observers_.slices());
  }
  // Observes rules, if the API server has any. Call it once, before their informer runs; for an API
  // that is served later, this may be at any time.
  template <class Rules>
  void observe_rules(Rules& rules, RuleStatus status) {
    rule_status_ = status;
    rules.add_observer(observers_.rules());
    own_rules_.emplace(rules.own_writes());
  }

  // Judges all pods, and works until stop() (or cancellation).
  Task<> run();
  // Starts nothing new; run() ends when work in progress is done. Idempotent.
  void stop();
  // The API server works again: failed items are retried at once.
  void retry_now();
  // Explanations of objects in its caches: which taints evict which pods and when, its current
  // work, and the state of its queue.
  std::vector<common::Topic> explain_pod(const PodPtr& pod) const;
  std::vector<common::Topic> explain_taints_of(const ClaimPtr& claim) const;
  std::vector<common::Topic> explain_rule(const Rule& rule) const;
  // Null if there is none of that name.
  const Rule* find_rule(const std::string& name) const { return rules_.find(name); }

  // The load of its queue.
  workqueue::Load load() const { return queue_.load(); }
  // The controller's model of devices, claims, pods and rules.
  const Tracker& tracker() const { return tracker_; }

 private:
  // Call it when something may need to be queued, reported or walked.
  void notify();
  Task<> follow();
  void queue_rules();
  // Returns whether that is done. If not, try again when a worker has finished with the rule.
  bool queue_rule(const std::string& name);
  // Returns whether more is due.
  bool queue_due_pods();
  std::optional<runtime::Deadline> next_turn() const;
  Task<workqueue::Outcome> handle(Item item);
  void explain_work(const Item& item, workqueue::ItemReport report,
                    std::vector<common::Topic>& topics) const;
  void list_pending(const Rule& rule, RuleFacts& facts) const;
  void look_for_pods(const Rule& rule, RuleFacts& facts) const;

  ControllerOptions options_;
  runtime::TimeSource& time_;
  StoreLookup lookup_;
  TaintRules rules_;
  PendingPods pending_;
  Tracker tracker_;
  EvictionMetrics metrics_;
  DeviceCount device_count_;
  DeviceMetrics device_metrics_;
  Pace pace_;
  ItemQueue queue_;
  workqueue::HandlerFailures failures_;
  ItemProblems problems_;
  std::optional<informers::OwnWrites<api::Pod>> own_pods_;
  std::optional<informers::OwnWrites<api::DeviceTaintRule>> own_rules_;
  RuleStatus rule_status_ = RuleStatus::served;
  PodEviction pods_;
  ConditionWriter conditions_;
  Observers observers_;
  std::set<std::string> touched_rules_;  // since they were last queued
  runtime::Condition changed_;
  bool has_changed_ = false;
  bool is_stopped_ = false;
  bool is_working_ = false;  // run() was called
  // Objects known at the start are backlog.
  Priority priority_ = Priority::backlog;
};

// `controller` must outlive it.
common::Explainer explainer_of(const Controller& controller);

}  // namespace dcm::device_taint_eviction
