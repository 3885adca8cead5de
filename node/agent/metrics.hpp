// The node's metrics, under kubelet's names where kubelet has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/grpc/status.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::node {

class AgentMetrics {
 public:
  // `registry` must outlive it.
  explicit AgentMetrics(runtime::MetricsRegistry& registry) : registry_(registry) {}

  // A call that a claim's allocation skips: kSkipPrepare or kSkipUnprepare.
  void count_skip(std::string_view operation, const std::string& driver);
  // An operation on all claims of a pod.
  enum class Failed : std::uint8_t { no, yes };
  void observe_operation(const std::string& name, Failed failed, runtime::Duration duration);
  void observe_call(const std::string& driver, std::string_view method, grpc::Code code,
                    runtime::Duration duration);
  void set_connected(const std::string& driver, bool is_connected);
  // `driver`: kAnyDriver for all claims.
  void set_claims(const std::string& driver, std::size_t claims);

 private:
  runtime::MetricsRegistry& registry_;
};

// kubelet's label for the claims of all drivers together.
inline constexpr const char* kAnyDriver = "<any>";

}  // namespace dcm::node
