// The workqueue_* metrics of Kubernetes (component-base/metrics/prometheus/workqueue), one set of
// series per queue. Better than there: the histograms go on to 600 s, so that slow work is told
// apart from stuck work.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/metrics.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::workqueue {

// Member of a queue. Histograms are fed as things happen; gauges and counters are read from the
// queue when somebody looks, so that an add costs nothing here.
//
// The registry must outlive this object, not the other way round: a registry cannot forget its
// callbacks, so the one registered here does nothing once this object is gone.
class QueueMetrics {
 public:
  // `load` is called at each exposition, and a last time by the destructor.
  QueueMetrics(runtime::MetricsRegistry& metrics, const std::string& name,
               std::function<Load()> load);
  ~QueueMetrics();
  QueueMetrics(const QueueMetrics&) = delete;
  QueueMetrics& operator=(const QueueMetrics&) = delete;

  // From the add to the hand-out.
  void observe_wait(Duration waited);
  // From the hand-out to done.
  void observe_work(Duration worked);

 private:
  struct Series;
  std::shared_ptr<Series> series_;
};

}  // namespace dcm::workqueue
