// Metrics of the process as a whole: what it is, what is turned on, what it uses.
#pragma once

#include "cmd/dra-controller-manager/options.hpp"
#include "runtime/metrics.hpp"

namespace dcm::manager {

// kubernetes_build_info, kubernetes_feature_enabled, running_managed_controllers and process_*.
[[nodiscard]] runtime::Refresh register_process(runtime::MetricsRegistry& metrics,
                                                const Options& options);

// running_managed_controllers: those of the options run, or none (yet).
enum class Running { no, yes };
void report_running_controllers(runtime::MetricsRegistry& metrics, const Options& options,
                                Running running);

}  // namespace dcm::manager
