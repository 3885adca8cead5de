// Metrics of devices, by driver.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "controllers/common/driver_labels.hpp"
#include "controllers/device_taint_eviction/state/device_counts.hpp"
#include "runtime/metrics.hpp"

namespace dcm::device_taint_eviction {

class DeviceMetrics {
 public:
  // Before each exposition, `count` is called until it returns counts instead of null. Both must
  // outlive it.
  DeviceMetrics(runtime::MetricsRegistry& registry, std::function<const CountsByDriver*()> count);

 private:
  static constexpr std::size_t kSeries = 6;
  using Series = std::array<runtime::Gauge*, kSeries>;  // one for each count

  void refresh(const CountsByDriver& counts);
  const Series& series_of(const std::string& driver);

  runtime::MetricsRegistry& registry_;
  common::DriverLabels labels_;
  std::map<std::string, Series> series_;
  runtime::Refresh refresh_;
};

}  // namespace dcm::device_taint_eviction
