#include "cmd/dra-controller-manager/feature_gates.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dcm::manager {
namespace {

using common::FeatureGates;
using runtime::Reason;

constexpr std::array kGates = {
    FeatureGate{"DRAAdminAccess", "", &FeatureGates::dra_admin_access,
                FeatureGate::Lock::as_in_kubernetes},
    FeatureGate{"DRADeviceTaintRules", "", &FeatureGates::dra_device_taint_rules,
                FeatureGate::Lock::none},
    FeatureGate{"DRADeviceTaints", "", &FeatureGates::dra_device_taints, FeatureGate::Lock::none},
    FeatureGate{"DRAPrioritizedList", "", &FeatureGates::dra_prioritized_list,
                FeatureGate::Lock::as_in_kubernetes},
    FeatureGate{"DRAWorkloadResourceClaims", "BETA", &FeatureGates::dra_workload_resource_claims,
                FeatureGate::Lock::none},
    FeatureGate{"GenericWorkload", "BETA", &FeatureGates::generic_workload,
                FeatureGate::Lock::none},
};

std::unexpected<runtime::Error> refuse(std::string why) {
  return runtime::fail(Reason::configuration, std::move(why));
}

std::string known_names() {
  std::array<std::string_view, kGates.size()> names;
  std::ranges::transform(kGates, names.begin(), &FeatureGate::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

runtime::Result<> set_feature_gate(std::string_view name, bool on, FeatureGates& gates) {
  // As Kubernetes' own components take it, which have gates of several (KEP-4330).
  constexpr std::string_view kComponent = "kube:";
  if (name.starts_with(kComponent)) name.remove_prefix(kComponent.size());
  const auto gate = std::ranges::find(kGates, name, &FeatureGate::name);
  if (gate == kGates.end()) {
    return refuse(fmt::format("unknown feature gate \"{}\" (known: {})", name, known_names()));
  }
  const bool by_default = FeatureGates().*gate->value;
  if (gate->lock != FeatureGate::Lock::none && on != by_default) {
    return refuse(fmt::format("feature gate {} is locked to {}", name, by_default));
  }
  gates.*(gate->value) = on;
  return {};
}

}  // namespace

std::span<const FeatureGate> known_feature_gates() {
  return kGates;
}

runtime::Result<> set_feature_gates(const Switches& switches, FeatureGates& gates) {
  for (const auto& [name, on] : switches) {
    if (auto set = set_feature_gate(name, on, gates); !set) return set;
  }
  if (gates.dra_workload_resource_claims && !gates.generic_workload) {
    return refuse("feature gate DRAWorkloadResourceClaims needs GenericWorkload=true as well");
  }
  return {};
}

}  // namespace dcm::manager
