// The process's metrics: families by name, values updated on change, text produced on demand. A
// thin layer over prometheus-cpp that ensures what we rely on: a family is declared once with its
// help text, a time series is looked up once and then kept, and values that are cheaper to compute
// on demand (ages, depths) are refreshed before each exposition.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
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

// A refresh that runs before each exposition, until this is destroyed.
class Refresh {
 public:
  Refresh() = default;  // nothing
  Refresh(Refresh&& other) noexcept : forget_(std::exchange(other.forget_, nullptr)) {}
  Refresh& operator=(Refresh&& other) noexcept {
    std::swap(forget_, other.forget_);
    return *this;
  }
  ~Refresh() {
    if (forget_) forget_();
  }

 private:
  friend class MetricsRegistry;
  explicit Refresh(std::function<void()> forget) : forget_(std::move(forget)) {}
  std::function<void()> forget_;
};

// Must outlive all users of a series or a Refresh of it. In metrics of a library, the prefix
// `program_` becomes the program's name: "program_worker_panics_total" is exposed as
// "node_labeller_worker_panics_total".
class MetricsRegistry {
 public:
  // `program` is in snake_case.
  explicit MetricsRegistry(std::string program = "controller");
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  // The series of that name with these labels, created at 0 if new. All series of a name share its
  // help text and label names. The reference lives as long as the registry.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help, const Buckets& buckets,
                       const Labels& labels = {});

  // Ends a series of gauge(): it is no longer exposed, and the reference is invalid.
  void remove(Gauge& series);

  // Runs before each exposition to update gauges, as long as the result is kept.
  [[nodiscard]] Refresh before_exposition(std::function<void()> refresh);
  // The same for a refresh that may take long: each call does a part, and returns whether there is
  // more to do.
  [[nodiscard]] Refresh before_exposition_in_parts(std::function<bool()> refresh);

  // Does one part of the latter refreshes; returns whether there is more to do. Call it until then,
  // with other tasks in between, and then expose().
  bool refresh_part();
  // Prometheus' text format 0.0.4. Does first what is left to refresh.
  std::string expose();

 private:
  struct InParts {
    std::function<bool()> refresh;
    bool is_done = false;  // since the last exposition
  };

  std::string exposed(const std::string& name) const;

  std::string program_;
  std::unique_ptr<prometheus::Registry> registry_;
  std::set<prometheus::Family<Gauge>*> gauges_;
  std::list<std::function<void()>> refreshes_;
  std::list<InParts> in_parts_;
};

// {start, start*factor, …}, `count` values.
Buckets exponential_buckets(double start, double factor, int count);

// Registers process_* (CPU, memory, open files, start time), read from /proc at each exposition.
[[nodiscard]] Refresh register_process_metrics(MetricsRegistry& metrics);

}  // namespace dcm::runtime
