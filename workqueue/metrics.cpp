#include "workqueue/metrics.hpp"

namespace dcm::workqueue {

using runtime::Buckets;
using runtime::Counter;
using runtime::Gauge;
using runtime::Histogram;
using runtime::Labels;
using runtime::MetricsRegistry;

namespace {

// Kubernetes' own buckets end at 10.
const Buckets kSeconds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 30, 60, 120, 300, 600};

constexpr auto kDepthHelp = "[BETA] Current depth of workqueue";
constexpr auto kUnfinishedHelp =
    "[BETA] How many seconds of work has done that is in progress and hasn't been observed by "
    "work_duration. Large values indicate stuck threads. One can deduce the number of stuck "
    "threads by observing the rate at which this increases.";
constexpr auto kLongestHelp =
    "[BETA] How many seconds has the longest running processor for workqueue been running.";
constexpr auto kAddsHelp = "[BETA] Total number of adds handled by workqueue";
constexpr auto kRetriesHelp = "[BETA] Total number of retries handled by workqueue";
constexpr auto kWaitHelp =
    "[BETA] How long in seconds an item stays in workqueue before being requested.";
constexpr auto kWorkHelp = "[BETA] How long in seconds processing an item from workqueue takes.";

}  // namespace

struct QueueMetrics::Series {
  Series(MetricsRegistry& metrics, const Labels& labels, std::function<Load()> read_load)
      : load(std::move(read_load)),
        depth(metrics.gauge("workqueue_depth", kDepthHelp, labels)),
        unfinished(metrics.gauge("workqueue_unfinished_work_seconds", kUnfinishedHelp, labels)),
        longest(metrics.gauge("workqueue_longest_running_processor_seconds", kLongestHelp, labels)),
        adds(metrics.counter("workqueue_adds_total", kAddsHelp, labels)),
        retries(metrics.counter("workqueue_retries_total", kRetriesHelp, labels)),
        wait(metrics.histogram("workqueue_queue_duration_seconds", kWaitHelp, kSeconds, labels)),
        work(metrics.histogram("workqueue_work_duration_seconds", kWorkHelp, kSeconds, labels)) {}

  void refresh() {
    const Load now = load();
    depth.Set(static_cast<double>(now.depth));
    unfinished.Set(runtime::in_seconds(now.unfinished));
    longest.Set(runtime::in_seconds(now.longest));
    adds.Increment(static_cast<double>(now.adds - shown.adds));
    retries.Increment(static_cast<double>(now.retries - shown.retries));
    shown = now;
  }

  // The final values when the queue is destroyed: nothing waits, nothing runs, the counts stay.
  void settle() {
    refresh();
    depth.Set(0);
    unfinished.Set(0);
    longest.Set(0);
  }

  std::function<Load()> load;
  Load shown;
  Gauge& depth;
  Gauge& unfinished;
  Gauge& longest;
  Counter& adds;
  Counter& retries;
  Histogram& wait;
  Histogram& work;
};

QueueMetrics::QueueMetrics(MetricsRegistry& metrics, const std::string& name,
                           std::function<Load()> load)
    : series_(std::make_unique<Series>(metrics, Labels{{"name", name}}, std::move(load))),
      refresh_(metrics.before_exposition([this] { series_->refresh(); })) {}

QueueMetrics::~QueueMetrics() {
  series_->settle();
}

void QueueMetrics::observe_wait(Duration waited) {
  series_->wait.Observe(runtime::in_seconds(waited));
}

void QueueMetrics::observe_work(Duration worked) {
  series_->work.Observe(runtime::in_seconds(worked));
}

}  // namespace dcm::workqueue
