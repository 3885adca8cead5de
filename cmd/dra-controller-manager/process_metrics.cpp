#include "cmd/dra-controller-manager/process_metrics.hpp"

#include <fstream>
#include <optional>
#include <string>

#include "cmd/dra-controller-manager/build_info.hpp"
#include "cmd/dra-controller-manager/controls.hpp"
#include "cmd/dra-controller-manager/options/controllers.hpp"
#include "manager/running_controllers.hpp"
#include "runtime/version.hpp"

namespace dcm::dra_manager {
namespace {

// The limit of its control group, in version 2 or 1; nullopt: none is set.
std::optional<double> memory_limit() {
  constexpr double kNoLimit = 1e18;  // version 1 reports a number near 2^63
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    if (double bytes = 0; file >> bytes && bytes < kNoLimit) return bytes;
  }
  return std::nullopt;
}

}  // namespace

void register_process(runtime::MetricsRegistry& metrics, const Options& options) {
  // Not kubernetes_build_info: its git_version is that of Kubernetes, and alerts compare it.
  const BuildInfo built = build_info();
  metrics
      .gauge("dra_controller_manager_build_info",
             "Constant 1, with the version of this binary, its commit and the commit's date.",
             {{"version", std::string(runtime::kVersion)},
              {"commit", std::string(built.commit)},
              {"date", std::string(built.date)}})
      .Set(1);
  for (const FeatureGate& gate : known_feature_gates()) {
    metrics
        .gauge(
            "kubernetes_feature_enabled",
            "[BETA] This metric records the data about the stage and enablement of a k8s feature.",
            {{"name", std::string(gate.name)}, {"stage", std::string(gate.stage)}})
        .Set(options.features.*gate.value ? 1 : 0);
  }
  for (const ControlType* type : control_types()) {
    report_running_controller(metrics, kProgram, std::string(type->name), Running::no);
  }
  if (const auto limit = memory_limit()) {
    metrics
        .gauge("dra_controller_manager_memory_limit_bytes",
               "Memory that the container may use, as the process found it at its start.")
        .Set(*limit);
  }
}

}  // namespace dcm::dra_manager
