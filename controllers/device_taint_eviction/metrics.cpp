#include "controllers/device_taint_eviction/metrics.hpp"

#include <chrono>

namespace dcm::device_taint_eviction {
namespace {

const runtime::Buckets kDelayBuckets = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240};

}  // namespace

EvictionMetrics::EvictionMetrics(runtime::MetricsRegistry& registry, const PendingPods& pending)
    : evictions_(registry.counter("device_taint_eviction_controller_pod_deletions_total",
                                  "[ALPHA] Total number of Pods deleted by the "
                                  "DeviceTaintEvictionController since its start.")),
      delay_(registry.histogram(
          "device_taint_eviction_controller_pod_deletion_duration_seconds",
          "[ALPHA] Latency, in seconds, between the time when a device taint effect has been "
          "activated and a Pod's deletion via the DeviceTaintEvictionController.",
          kDelayBuckets)),
      pending_(registry.gauge("dra_controller_manager_evictions_pending",
                              "Pods that must go because of a device taint, now or later.")),
      stuck_(registry.gauge("dra_controller_manager_evictions_stuck",
                            "Pods whose eviction has failed more than 5 times.")),
      refresh_(registry.before_exposition([this, &pending] {
        pending_.Set(static_cast<double>(pending.size()));
        stuck_.Set(static_cast<double>(pending.stuck()));
      })) {}

void EvictionMetrics::count_eviction(runtime::WallTime due, runtime::WallTime accepted) {
  evictions_.Increment();
  // A taint may say that it is centuries old, which a Duration cannot hold.
  using Seconds = std::chrono::duration<double>;
  delay_.Observe((Seconds(accepted.time_since_epoch()) - Seconds(due.time_since_epoch())).count());
}

}  // namespace dcm::device_taint_eviction
