// The metrics of Kubernetes' controller, under the names of 1.37, by driver.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "controllers/common/driver_labels.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_pool_status {

class PoolStatusMetrics {
 public:
  // `registry` must outlive it.
  explicit PoolStatusMetrics(runtime::MetricsRegistry& registry) : registry_(registry) {}

  enum class Written : std::uint8_t { yes, no };
  // Records an answered request and the time since its processing began.
  void count(const std::string& driver, runtime::Duration duration, Written written);

 private:
  struct Series {
    runtime::Counter* processed;
    runtime::Counter* errors;
    runtime::Histogram* duration;
  };
  const Series& series_of(const std::string& label);

  runtime::MetricsRegistry& registry_;
  common::DriverLabels labels_;
  std::map<std::string, Series> series_;
};

}  // namespace dcm::resource_pool_status
