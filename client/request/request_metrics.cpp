#include "client/request/request_metrics.hpp"

namespace dcm::client {
namespace {

using runtime::Buckets;
using runtime::Duration;

const Buckets kSeconds = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
const Buckets kBytes = {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};

std::string code_label(std::optional<std::uint16_t> status) {
  return status ? std::to_string(*status) : "<error>";
}

}  // namespace

RequestMetrics::RequestMetrics(runtime::MetricsRegistry& metrics, std::string host)
    : metrics_(metrics), host_(std::move(host)) {}

RequestMetrics::Series& RequestMetrics::series(http::Method method) {
  Series& found = series_.at(static_cast<std::size_t>(method));
  if (found.duration != nullptr) return found;
  const runtime::Labels labels = {{"verb", std::string(http::to_string(method))}, {"host", host_}};
  found.duration = &metrics_.histogram(
      "rest_client_request_duration_seconds",
      "[ALPHA] Request latency in seconds. Broken down by verb, and host.", kSeconds, labels);
  found.limiter = &metrics_.histogram(
      "rest_client_rate_limiter_duration_seconds",
      "[ALPHA] Client side rate limiter latency in seconds. Broken down by verb, and host.",
      kSeconds, labels);
  found.request_size = &metrics_.histogram(
      "rest_client_request_size_bytes",
      "[ALPHA] Request size in bytes. Broken down by verb and host.", kBytes, labels);
  found.response_size = &metrics_.histogram(
      "rest_client_response_size_bytes",
      "[ALPHA] Response size in bytes. Broken down by verb and host.", kBytes, labels);
  return found;
}

void RequestMetrics::count_attempt(http::Method method, std::optional<std::uint16_t> status) {
  runtime::Counter*& counter = requests_[{method, status.value_or(0)}];
  if (counter == nullptr) {
    counter = &metrics_.counter(
        "rest_client_requests_total",
        "[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.",
        {{"code", code_label(status)},
         {"method", std::string(http::to_string(method))},
         {"host", host_}});
  }
  counter->Increment();
}

void RequestMetrics::count_retry(http::Method method, std::optional<std::uint16_t> status) {
  runtime::Counter*& counter = retries_[{method, status.value_or(0)}];
  if (counter == nullptr) {
    counter = &metrics_.counter(
        "rest_client_request_retries_total",
        "[ALPHA] Number of request retries, partitioned by status code, verb, and host.",
        {{"code", code_label(status)},
         {"verb", std::string(http::to_string(method))},
         {"host", host_}});
  }
  counter->Increment();
}

void RequestMetrics::observe_limiter_wait(http::Method method, Duration wait) {
  series(method).limiter->Observe(runtime::in_seconds(wait));
}

void RequestMetrics::observe_call(http::Method method, Duration duration) {
  series(method).duration->Observe(runtime::in_seconds(duration));
}

void RequestMetrics::observe_sizes(http::Method method, std::size_t request_bytes,
                                   std::size_t response_bytes) {
  Series& found = series(method);
  found.request_size->Observe(static_cast<double>(request_bytes));
  found.response_size->Observe(static_cast<double>(response_bytes));
}

}  // namespace dcm::client
