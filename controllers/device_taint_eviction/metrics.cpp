#include "controllers/device_taint_eviction/metrics.hpp"

#include <algorithm>

namespace dcm::device_taint_eviction {
namespace {

const runtime::Buckets kDelayBuckets = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240};

// A taint's time may be centuries ago, which a Duration cannot hold.
double seconds_between(runtime::WallTime from, runtime::WallTime until) {
  return runtime::in_seconds(until.time_since_epoch()) -
         runtime::in_seconds(from.time_since_epoch());
}

double longest_overdue(const PendingPods& pending, runtime::WallTime now) {
  double longest = 0;
  pending.for_each(
      [&](const PendingPod& pod) { longest = std::max(longest, seconds_between(pod.due, now)); });
  return longest;
}

}  // namespace

EvictionMetrics::EvictionMetrics(runtime::MetricsRegistry& registry, const PendingPods& pending,
                                 const runtime::TimeSource& time)
    : evictions_(registry.counter("device_taint_eviction_controller_pod_deletions_total",
                                  "[ALPHA] Total number of Pods deleted by "
                                  "DeviceTaintEvictionController since its start.")),
      delay_(registry.histogram(
          "device_taint_eviction_controller_pod_deletion_duration_seconds",
          "[ALPHA] Latency, in seconds, between the time when a device taint effect has been "
          "activated and a Pod's deletion via DeviceTaintEvictionController.",
          kDelayBuckets)),
      pending_(registry.gauge("dra_controller_manager_evictions_pending",
                              "Pods that must go because of a device taint, now or later.")),
      stuck_(registry.gauge("dra_controller_manager_evictions_stuck",
                            "Pods whose eviction has failed more than 5 times.")),
      held_(registry.gauge("dra_controller_manager_evictions_held_by_budget",
                           "Pods that a PodDisruptionBudget does not let go yet.")),
      overdue_(registry.gauge("dra_controller_manager_eviction_overdue_seconds",
                              "How long ago the eviction of a pending pod became due, at most.")),
      refresh_(registry.before_exposition([this, &pending, &time] {
        held_.Set(static_cast<double>(pending.held_by_budgets()));
        overdue_.Set(longest_overdue(pending, time.wall_now()));
        pending_.Set(static_cast<double>(pending.size()));
        stuck_.Set(static_cast<double>(pending.stuck()));
      })) {}

void EvictionMetrics::count_eviction(runtime::WallTime due, runtime::WallTime accepted) {
  evictions_.Increment();
  delay_.Observe(seconds_between(due, accepted));
}

}  // namespace dcm::device_taint_eviction
