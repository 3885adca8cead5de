#include "cmd/dra-controller-manager/process_metrics.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cmd/dra-controller-manager/build_info.hpp"
#include "cmd/dra-controller-manager/controls.hpp"
#include "cmd/dra-controller-manager/options/controllers.hpp"
#include "manager/running_controllers.hpp"
#include "runtime/version.hpp"

namespace dcm::dra_manager {
namespace {

// The process's own control group of these controllers, below the mounted ones: "/" in a container,
// "/system.slice/NAME.service" on a host. "memory" is of version 1; version 2 names none.
std::string control_group(const std::string& root, std::string_view controllers) {
  const std::string wanted = fmt::format(":{}:", controllers);
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t id = std::min(line.find(':'), line.size());
    if (line.compare(id, wanted.size(), wanted) == 0) return line.substr(id + wanted.size());
  }
  return "/";
}

}  // namespace

std::optional<double> memory_limit(const std::string& root) {
  constexpr double kNoLimit = 1e18;  // version 1 reports a number near 2^63
  const std::string groups = root + "/sys/fs/cgroup";
  for (const std::string& path :
       {groups + control_group(root, "") + "/memory.max", groups + "/memory.max",
        groups + "/memory" + control_group(root, "memory") + "/memory.limit_in_bytes",
        groups + "/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    if (double bytes = 0; file >> bytes && bytes < kNoLimit) return bytes;
  }
  return std::nullopt;
}

runtime::Refresh register_memory_limit(runtime::MetricsRegistry& metrics, const std::string& root) {
  return metrics.before_exposition(
      [&metrics, root, gauge = static_cast<runtime::Gauge*>(nullptr)]() mutable {
        const auto limit = memory_limit(root);
        if (!limit && gauge != nullptr) metrics.remove(*std::exchange(gauge, nullptr));
        if (!limit) return;
        if (gauge == nullptr) {
          gauge = &metrics.gauge("dra_controller_manager_memory_limit_bytes",
                                 "Memory that the container or unit may use.");
        }
        gauge->Set(*limit);
      });
}

void register_process(runtime::MetricsRegistry& metrics, const Options& options) {
  // Not kubernetes_build_info: alerts compare its git_version, which is a version of Kubernetes.
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
}

}  // namespace dcm::dra_manager
