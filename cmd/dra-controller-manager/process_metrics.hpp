// Metrics of the process as a whole: its build, enabled features, and limits.
#pragma once

#include "cmd/dra-controller-manager/options.hpp"
#include "runtime/metrics.hpp"

namespace dcm::dra_manager {

// dra_controller_manager_build_info, kubernetes_feature_enabled, running_managed_controllers.
void register_process(runtime::MetricsRegistry& metrics, const Options& options);

}  // namespace dcm::dra_manager
