#include "node/agent/metrics.hpp"

#include <cmath>

#include "node/claims/allocation.hpp"

namespace dcm::node {
namespace {

// The same buckets as kubelet's.
const runtime::Buckets& operation_buckets() {
  static const runtime::Buckets buckets = [] {
    constexpr double kFirst = 0.1;
    constexpr double kLast = 40;
    constexpr int kCount = 15;
    return runtime::exponential_buckets(kFirst, std::pow(kLast / kFirst, 1.0 / (kCount - 1)),
                                        kCount);
  }();
  return buckets;
}

}  // namespace

void AgentMetrics::count_skip(std::string_view operation, const std::string& driver) {
  const bool is_prepare = operation == kSkipPrepare;
  registry_
      .counter(is_prepare ? "dra_node_prepare_skips_total" : "dra_node_unprepare_skips_total",
               is_prepare ? "Calls of NodePrepareResources that a claim's allocation skips."
                          : "Calls of NodeUnprepareResources that a claim's allocation skips.",
               {{"driver_name", driver}})
      .Increment();
}

void AgentMetrics::observe_operation(const std::string& name, Failed failed,
                                     runtime::Duration duration) {
  registry_
      .histogram("dra_operations_duration_seconds",
                 "Time to prepare or unprepare the claims of a pod, with all calls of drivers.",
                 operation_buckets(),
                 {{"operation_name", name}, {"is_error", failed == Failed::yes ? "true" : "false"}})
      .Observe(runtime::in_seconds(duration));
}

void AgentMetrics::observe_call(const std::string& driver, std::string_view method, grpc::Code code,
                                runtime::Duration duration) {
  registry_
      .histogram("dra_grpc_operations_duration_seconds", "Time that a call of a driver took.",
                 operation_buckets(),
                 {{"driver_name", driver},
                  {"method_name", std::string(method)},
                  {"grpc_status_code", std::string(grpc::to_string(code))}})
      .Observe(runtime::in_seconds(duration));
}

void AgentMetrics::set_connected(const std::string& driver, bool is_connected) {
  registry_
      .gauge("dra_hollow_node_driver_connected", "Whether an instance of the driver is connected.",
             {{"driver_name", driver}})
      .Set(is_connected ? 1 : 0);
}

void AgentMetrics::set_claims(const std::string& driver, std::size_t claims) {
  registry_
      .gauge("dra_resource_claims_in_use", "ResourceClaims that are prepared or being prepared.",
             {{"driver_name", driver}})
      .Set(static_cast<double>(claims));
}

}  // namespace dcm::node
