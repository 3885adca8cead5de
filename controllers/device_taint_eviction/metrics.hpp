// The metrics of Kubernetes' device taint eviction controller, under the names of 1.37, and ours.
#pragma once

#include "controllers/device_taint_eviction/state/pending_pods.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::device_taint_eviction {

class EvictionMetrics {
 public:
  // All must outlive it.
  EvictionMetrics(runtime::MetricsRegistry& registry, const PendingPods& pending,
                  const runtime::TimeSource& time);

  // Counts an eviction that the server accepted at that time.
  void count_eviction(runtime::WallTime due, runtime::WallTime accepted);

 private:
  runtime::Counter& evictions_;
  runtime::Histogram& delay_;
  runtime::Gauge& pending_;
  runtime::Gauge& stuck_;
  runtime::Gauge& held_;
  runtime::Gauge& overdue_;
  runtime::Refresh refresh_;
};

}  // namespace dcm::device_taint_eviction
