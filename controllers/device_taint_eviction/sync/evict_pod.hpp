// Carries out what is decided for a pod that is due: event, condition, DELETE or Eviction.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "controllers/common/event_sink.hpp"
#include "controllers/device_taint_eviction/api/api.hpp"
#include "controllers/device_taint_eviction/metrics.hpp"
#include "controllers/device_taint_eviction/rules/decide_eviction.hpp"
#include "controllers/device_taint_eviction/sync/item.hpp"
#include "controllers/device_taint_eviction/sync/pace.hpp"
#include "controllers/device_taint_eviction/tracker/tracker.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/time.hpp"
#include "workqueue/workers.hpp"

namespace dcm::device_taint_eviction {

// Decides before each write anew, from the caches as they are then. Two requests for a pod, if all
// goes well. Loop thread only; no two calls for one pod at the same time (the queue sees to that).
class PodEviction {
 public:
  // All references must outlive it.
  struct Dependencies {
    Tracker& tracker;
    EvictionApi& api;
    common::EventSink& events;
    EvictionMetrics& metrics;
    Pace& pace;
    ItemProblems& problems;
    runtime::TimeSource& time;
    runtime::Logger log;
  };
  PodEviction(Dependencies dependencies, EvictionMode mode)
      : deps_(dependencies), mode_(mode), stopped_(dependencies.time) {}

  Task<workqueue::Outcome> evict(PodRef pod);
  // From now on no attempt waits for a server that is overloaded: there will be no other.
  void stop();

  // Tells the owner that a pod which was to go may stay.
  void report_cancelled(const PodRef& pod) { report(pod, "Cancelling deletion"); }

 private:
  using End = std::optional<workqueue::Outcome>;

  EvictionStep next_step(const PodRef& pod, const PendingPod* pending) const;
  bool begin(const PodRef& pod, PendingPod& pending);
  Task<End> mark(PodRef pod, api::TransitionTime transition);
  Task<workqueue::Outcome> send_away(PodRef pod, EvictionStep step);
  Task<workqueue::Outcome> fail(PodRef pod, runtime::Error error);
  void conclude(const PodRef& pod);
  void conclude_gone(const PodRef& pod);
  void report(const PodRef& pod, std::string_view message);
  Priority priority() const;

  Dependencies deps_;
  EvictionMode mode_;
  runtime::Condition stopped_;
  bool is_stopped_ = false;
  // An eviction that was sent, but not answered: it may have been carried out.
  struct Unanswered {
    WallTime due;
    std::vector<RuleId> rules;
    WallTime sent;
  };
  void succeed(const PodRef& pod, const Unanswered& eviction);
  std::unordered_map<api::Uid, Unanswered> unanswered_;
};

}  // namespace dcm::device_taint_eviction
