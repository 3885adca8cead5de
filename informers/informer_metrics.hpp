// The metrics of one informer; the label `resource` is the plural name of its kind.
#pragma once

#include <string>

#include "informers/watch_state.hpp"
#include "runtime/metrics.hpp"

namespace dcm::informers {

// Series start at 0, so that a rate is right from the first event on. `registry` must outlive this.
class InformerMetrics {
 public:
  InformerMetrics(runtime::MetricsRegistry& registry, std::string resource);
  ~InformerMetrics();
  InformerMetrics(const InformerMetrics&) = delete;
  InformerMetrics& operator=(const InformerMetrics&) = delete;

  void count_relist(RelistReason reason);
  void count_fallback() { fallbacks_.Increment(); }
  void set_initial_sync(Duration took);
  // These values change constantly, so they are refreshed before each exposition.
  void set_contents(std::size_t objects, std::size_t bytes, std::size_t own_writes_unseen);
  void set_last_event_age(Duration age);

 private:
  void reset();
  runtime::Gauge& gauge(const char* name, const char* help);

  runtime::MetricsRegistry& registry_;
  std::string resource_;
  runtime::Gauge& objects_;
  runtime::Gauge& bytes_held_;
  runtime::Gauge& own_writes_unseen_;
  runtime::Gauge& last_event_age_;
  runtime::Gauge& initial_sync_;
  runtime::Counter& fallbacks_;
};

}  // namespace dcm::informers
