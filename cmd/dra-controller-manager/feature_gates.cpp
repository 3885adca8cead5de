#include "cmd/dra-controller-manager/feature_gates.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cmd/dra-controller-manager/options/kubernetes.hpp"

namespace dcm::manager {
namespace {

using common::FeatureGates;
using runtime::Reason;

constexpr std::array kGates = {
    FeatureGate{"DRAAdminAccess", "", &FeatureGates::dra_admin_access},
    FeatureGate{"DRADeviceTaintRules", "", &FeatureGates::dra_device_taint_rules},
    FeatureGate{"DRADeviceTaints", "", &FeatureGates::dra_device_taints},
    FeatureGate{"DRAPrioritizedList", "", &FeatureGates::dra_prioritized_list},
    FeatureGate{"DRAWorkloadResourceClaims", "BETA", &FeatureGates::dra_workload_resource_claims},
    FeatureGate{"GenericWorkload", "BETA", &FeatureGates::generic_workload},
};

std::unexpected<runtime::Error> refuse(std::string why) {
  return runtime::fail(Reason::configuration, std::move(why));
}

// As Kubernetes' own components take it, which have gates of several (KEP-4330).
std::string_view without_component(std::string_view name) {
  constexpr std::string_view kComponent = "kube:";
  if (name.starts_with(kComponent)) name.remove_prefix(kComponent.size());
  return name;
}

runtime::Result<> refuse_unknown(std::string_view name) {
  const std::string meant = kubernetes::closest_feature_gate(name);
  return refuse(fmt::format("no Kubernetes version has a feature gate \"{}\"{}", name,
                            meant.empty() ? "" : "; did you mean " + meant + "?"));
}

// The stage whose gates a gate stands for. Nothing: it stands for itself.
std::optional<std::string_view> stage_meant_by(std::string_view name) {
  if (name == "AllAlpha") return "ALPHA";
  if (name == "AllBeta") return "BETA";
  return std::nullopt;
}

void set_stage(std::string_view stage, bool on, FeatureGates& gates) {
  for (const FeatureGate& gate : kGates) {
    if (gate.stage == stage) gates.*(gate.value) = on;
  }
}

}  // namespace

std::span<const FeatureGate> known_feature_gates() {
  return kGates;
}

runtime::Result<Strings> set_feature_gates(const Switches& switches, FeatureGates& gates) {
  for (const auto& [name, on] : switches) {
    if (const auto stage = stage_meant_by(without_component(name))) set_stage(*stage, on, gates);
  }
  Strings without_effect;
  for (const auto& [written, on] : switches) {
    const std::string_view name = without_component(written);
    const auto gate = std::ranges::find(kGates, name, &FeatureGate::name);
    if (gate != kGates.end()) {
      gates.*(gate->value) = on;
    } else if (!kubernetes::is_feature_gate(name)) {
      return runtime::fail(refuse_unknown(name).error());
    } else if (!stage_meant_by(name)) {
      without_effect.emplace_back(name);
    }
  }
  if (gates.dra_workload_resource_claims && !gates.generic_workload) {
    return refuse("feature gate DRAWorkloadResourceClaims needs GenericWorkload=true as well");
  }
  return without_effect;
}

}  // namespace dcm::manager
