// Metrics of the process as a whole: its build, enabled features, and resource usage.
#pragma once

#include "cmd/dra-controller-manager/options.hpp"
#include "runtime/metrics.hpp"

namespace dcm::manager {

// dra_controller_manager_build_info, kubernetes_feature_enabled, running_managed_controllers and
// process_*.
[[nodiscard]] runtime::Refresh register_process(runtime::MetricsRegistry& metrics,
                                                const Options& options);

// The controllers, as on the command line.
inline constexpr const char* kResourceClaimController = "resourceclaim-controller";
inline constexpr const char* kDeviceTaintEvictionController = "device-taint-eviction-controller";

// running_managed_controllers.
enum class Running { no, yes };
void report_running_controller(runtime::MetricsRegistry& metrics, const std::string& controller,
                               Running running);

}  // namespace dcm::manager
