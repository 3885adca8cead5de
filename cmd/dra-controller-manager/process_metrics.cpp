#include "cmd/dra-controller-manager/process_metrics.hpp"

#include <string>

#include "cmd/dra-controller-manager/options/controllers.hpp"
#include "runtime/version.hpp"

namespace dcm::manager {

runtime::Refresh register_process(runtime::MetricsRegistry& metrics, const Options& options) {
  metrics
      .gauge("kubernetes_build_info",
             "[ALPHA] A metric with a constant '1' value labeled by version of this binary.",
             {{"git_version", std::string(runtime::kVersion)}})
      .Set(1);
  for (const FeatureGate& gate : known_feature_gates()) {
    metrics
        .gauge(
            "kubernetes_feature_enabled",
            "[BETA] This metric records the data about the stage and enablement of a k8s feature.",
            {{"name", std::string(gate.name)}, {"stage", std::string(gate.stage)}})
        .Set(options.features.*gate.value ? 1 : 0);
  }
  for (const char* controller : {kResourceClaimController, kDeviceTaintEvictionController}) {
    report_running_controller(metrics, controller, Running::no);
  }
  return runtime::register_process_metrics(metrics);
}

void report_running_controller(runtime::MetricsRegistry& metrics, const std::string& controller,
                               Running running) {
  metrics
      .gauge("running_managed_controllers",
             "[BETA] Indicates where instances of a controller are currently running",
             {{"name", controller}, {"manager", "dra-controller-manager"}})
      .Set(running == Running::yes ? 1 : 0);
}

}  // namespace dcm::manager
