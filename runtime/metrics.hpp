// The process's metrics: families by name, values on change, text on demand.
//
// A thin layer over prometheus-cpp that fixes what we rely on: a family is declared once with its
// help text, a time series is looked up once and then kept, and values that are cheaper to compute
// when somebody looks (ages, depths) are refreshed before each exposition.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace prometheus {
class Registry;
}

namespace dcm::runtime {

using Counter = prometheus::Counter;
using Gauge = prometheus::Gauge;
using Histogram = prometheus::Histogram;
using Labels = std::map<std::string, std::string>;
using Buckets = std::vector<double>;

class MetricsRegistry {
 public:
  MetricsRegistry();
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  // The series of that name and these labels, made at 0 where it is new. All series of a name share
  // its help text and the names of their labels. The reference lives as long as the registry.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help, const Buckets& buckets,
                       const Labels& labels = {});

  // Runs before each exposition, to bring gauges up to date. `refresh` must stay valid.
  void before_exposition(std::function<void()> refresh);

  // Prometheus' text format 0.0.4.
  std::string expose();

 private:
  std::unique_ptr<prometheus::Registry> registry_;
  std::vector<std::function<void()>> refreshes_;
};

// {start, start*factor, …}, `count` values.
Buckets exponential_buckets(double start, double factor, int count);

// Registers process_* (CPU, memory, open files, start time), read from /proc at each exposition.
void register_process_metrics(MetricsRegistry& metrics);

}  // namespace dcm::runtime
