// client-go's metrics of requests (rest_client_*), under its names and labels.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runtime/http/message.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::client {

// Looks up each series once; each request then costs a few additions. Loop thread only.
class RequestMetrics {
 public:
  // `host` is "host:port" of the server. `metrics` must outlive it.
  RequestMetrics(runtime::MetricsRegistry& metrics, std::string host);

  // An attempt has ended; nullopt: there was no answer. Errors are counted by their status too.
  void count_attempt(http::Method method, std::optional<std::uint16_t> status);
  // An attempt is made because the previous one ended with `status`.
  void count_retry(http::Method method, std::optional<std::uint16_t> status);
  void observe_limiter_wait(http::Method method, runtime::Duration wait);
  // A whole call, with its waits and retries.
  void observe_call(http::Method method, runtime::Duration duration);
  // Body sizes of an answered attempt; the answer's after decompression.
  void observe_sizes(http::Method method, std::size_t request_bytes, std::size_t response_bytes);

 private:
  struct Series {
    runtime::Histogram* duration = nullptr;
    runtime::Histogram* limiter = nullptr;
    runtime::Histogram* request_size = nullptr;
    runtime::Histogram* response_size = nullptr;
  };
  using Counters = std::map<std::pair<http::Method, std::uint16_t>, runtime::Counter*>;

  Series& series(http::Method method);

  runtime::MetricsRegistry& metrics_;
  std::string host_;
  std::array<Series, 6> series_;
  Counters requests_;
  Counters retries_;
};

}  // namespace dcm::client
