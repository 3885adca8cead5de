// The workqueue_* metrics of Kubernetes (component-base/metrics/prometheus/workqueue), one set of
// series per queue. Unlike there, the histograms extend to 600 s, to distinguish slow work from
// stuck work.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/metrics.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::workqueue {

// Member of a queue. Histograms are updated immediately; gauges and counters are read from the
// queue on each exposition, so that an add costs nothing here. The registry must outlive this.
class QueueMetrics {
 public:
  // `load` is called at each exposition, and a last time by the destructor.
  QueueMetrics(runtime::MetricsRegistry& metrics, const std::string& name,
               std::function<Load()> load);
  ~QueueMetrics();
  QueueMetrics(const QueueMetrics&) = delete;
  QueueMetrics& operator=(const QueueMetrics&) = delete;

  // `waited` is the time from the add to the hand-out.
  void observe_wait(Duration waited);
  // `worked` is the time from the hand-out to done().
  void observe_work(Duration worked);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
  runtime::Refresh refresh_;
};

}  // namespace dcm::workqueue
