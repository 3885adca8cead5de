// Carries out the decision for a due pod: event, condition, DELETE or Eviction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "client/api/event_sink.hpp"
#include "controllers/device_taint_eviction/api/api.hpp"
#include "controllers/device_taint_eviction/metrics.hpp"
#include "controllers/device_taint_eviction/rules/decide_eviction.hpp"
#include "controllers/device_taint_eviction/sync/item.hpp"
#include "controllers/device_taint_eviction/sync/pace.hpp"
#include "controllers/device_taint_eviction/tracker.hpp"
#include "runtime/log.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::device_taint_eviction {

// Decides again before each write, from the current caches. Normally two requests per pod. An
// attempt without an eviction returns its turn. Loop thread only; no two calls for one pod at the
// same time (the queue sees to that).
class PodEviction {
 public:
  // All references must outlive it.
  struct Dependencies {
    Tracker& tracker;
    PendingPods& pending;  // of the tracker
    EvictionApi& api;
    api::EventSink& events;
    EvictionMetrics& metrics;
    Pace& pace;
    ItemProblems& problems;
    runtime::TimeSource& time;
    runtime::Rng rng;
    runtime::Logger log;
    // Shows the answer to a write in the cache.
    std::function<void(api::Decoded<api::Pod>)> record;
  };
  PodEviction(Dependencies dependencies, EvictionMode mode)
      : deps_(std::move(dependencies)), mode_(mode) {}

  // For a pod that a worker got from PendingPods::take(); it is back in that schedule afterwards,
  // unless it is no longer pending.
  Task<> evict(PodRef pod);

  // A pod is no longer pending: its owner is notified if it may stay, and it is counted if it goes
  // because of an eviction whose answer was lost.
  void conclude(const Released& released);

 private:
  enum class End : std::uint8_t { evicted, not_evicted };

  Task<End> attempt(PodRef pod);
  EvictionStep next_step(const PendingPod& pending, EvictionSnapshot::Mark mark) const;
  // Writes the condition DisruptionTarget. Returns whether the server has accepted it.
  Task<bool> mark(PodRef pod, EvictionStep step);
  Task<End> send_away(PendingPod& pending, EvictionStep step);
  void settle_refusal(const PodRef& pod, const runtime::Error& error);
  void conclude_gone(PendingPod& pending);
  void hold(PendingPod& pending, const runtime::Error& error);
  bool is_going(const PodRef& pod) const;
  // Whether a pod that disappears now may have been evicted by it.
  bool is_recent(const std::optional<SentEviction>& eviction) const;
  void announce(const PodRef& pod);
  void report_eviction(const PodRef& pod);
  void succeed(const PodRef& pod, const SentEviction& eviction, WallTime accepted);
  void report(const PodRef& pod, std::string_view message);
  Priority priority() const;

  Dependencies deps_;
  EvictionMode mode_;
};

}  // namespace dcm::device_taint_eviction
