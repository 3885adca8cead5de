// Metrics of the process as a whole: its build, enabled features, and limits.
#pragma once

#include <optional>
#include <string>

#include "cmd/dra-controller-manager/options.hpp"
#include "runtime/metrics.hpp"

namespace dcm::dra_manager {

// dra_controller_manager_build_info, kubernetes_feature_enabled, running_managed_controllers.
void register_process(runtime::MetricsRegistry& metrics, const Options& options);

// The memory limit of this process's control group in bytes, in version 2 or 1; nullopt: none is
// set. Tests have a `root` of their own.
std::optional<double> memory_limit(const std::string& root = "");
// dra_controller_manager_memory_limit_bytes, read at each exposition: a container can be resized
// while it runs. `metrics` must outlive the result.
[[nodiscard]] runtime::Refresh register_memory_limit(runtime::MetricsRegistry& metrics,
                                                     const std::string& root = "");

}  // namespace dcm::dra_manager
