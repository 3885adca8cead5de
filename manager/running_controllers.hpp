// running_managed_controllers, as in Kubernetes' controller managers.
#pragma once

#include <string>

#include "runtime/metrics.hpp"

namespace dcm::manager {

enum class Running { no, yes };

inline void report_running_controller(runtime::MetricsRegistry& metrics, const std::string& program,
                                      const std::string& controller, Running running) {
  metrics
      .gauge("running_managed_controllers",
             "[BETA] Indicates where instances of a controller are currently running",
             {{"name", controller}, {"manager", program}})
      .Set(running == Running::yes ? 1 : 0);
}

}  // namespace dcm::manager
