#include "controllers/resource_pool_status/metrics.hpp"

namespace dcm::resource_pool_status {

void PoolStatusMetrics::count(const std::string& driver, runtime::Duration duration,
                              Written written) {
  const Series& series = series_of(labels_.of(driver));
  series.processed->Increment();
  if (written == Written::no) series.errors->Increment();
  series.duration->Observe(runtime::in_seconds(duration));
}

const PoolStatusMetrics::Series& PoolStatusMetrics::series_of(const std::string& label) {
  const auto [found, is_new] = series_.try_emplace(label);
  if (!is_new) return found->second;
  const runtime::Labels labels{{"driver_name", label}};
  found->second = {
      .processed = &registry_.counter(
          "resourcepoolstatusrequest_controller_requests_processed_total",
          "[ALPHA] Total number of ResourcePoolStatusRequests processed", labels),
      .errors = &registry_.counter(
          "resourcepoolstatusrequest_controller_request_processing_errors_total",
          "[ALPHA] Total number of errors encountered while processing ResourcePoolStatusRequests",
          labels),
      .duration = &registry_.histogram(
          "resourcepoolstatusrequest_controller_request_processing_duration_seconds",
          "[ALPHA] Time taken to process a ResourcePoolStatusRequest",
          runtime::exponential_buckets(0.001, 2, 15), labels)};
  return found->second;
}

}  // namespace dcm::resource_pool_status
