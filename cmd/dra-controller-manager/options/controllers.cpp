#include "cmd/dra-controller-manager/options/controllers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/controls.hpp"
#include "cmd/dra-controller-manager/options/kubernetes.hpp"

namespace dcm::dra_manager {
namespace {

using common::FeatureGates;
using runtime::Reason;

constexpr std::array kGates = {
    FeatureGate{"DRAAdminAccess", "", &FeatureGates::dra_admin_access},
    FeatureGate{"DRADeviceTaintRules", "", &FeatureGates::dra_device_taint_rules},
    FeatureGate{"DRADeviceTaints", "", &FeatureGates::dra_device_taints},
    FeatureGate{"DRAPrioritizedList", "", &FeatureGates::dra_prioritized_list},
    FeatureGate{"DRAResourcePoolStatus", "ALPHA", &FeatureGates::dra_resource_pool_status},
    FeatureGate{"DRAWorkloadResourceClaims", "BETA", &FeatureGates::dra_workload_resource_claims},
    FeatureGate{"GenericWorkload", "BETA", &FeatureGates::generic_workload},
};

std::unexpected<runtime::Error> refuse(std::string why) {
  return runtime::fail(Reason::configuration, std::move(why));
}

// As in Kubernetes' own components, which have gates of several (KEP-4330).
std::string_view without_component(std::string_view name) {
  constexpr std::string_view kComponent = "kube:";
  if (name.starts_with(kComponent)) name.remove_prefix(kComponent.size());
  return name;
}

// The stage whose gates a gate stands for; nullopt: it stands for itself.
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

std::optional<Conflict> conflict_if_none(const Options& options) {
  const bool any = std::ranges::any_of(
      control_types(), [&](const ControlType* type) { return options.*(type->runs); });
  return any ? std::nullopt : std::optional(Conflict{"controllers", "nothing is left to run"});
}

Conflict refuse_unknown(const std::string& name, const std::string& bare) {
  Strings ours;
  for (const ControlType* type : control_types()) ours.emplace_back(type->name);
  const std::string meant = closest(bare, ours);
  return {"controllers",
          fmt::format("\"{}\" is none of the known controllers (*, {}){}", name,
                      known_controllers(), meant.empty() ? "" : "; did you mean " + meant + "?")};
}

}  // namespace

std::span<const FeatureGate> known_feature_gates() {
  return kGates;
}

runtime::Result<OtherGates> set_feature_gates(const Switches& switches, FeatureGates& gates) {
  for (const auto& [name, on] : switches) {
    if (const auto stage = stage_meant_by(without_component(name))) set_stage(*stage, on, gates);
  }
  OtherGates others;
  for (const auto& [written, on] : switches) {
    const std::string_view name = without_component(written);
    const auto gate = std::ranges::find(kGates, name, &FeatureGate::name);
    if (gate != kGates.end()) {
      gates.*(gate->value) = on;
    } else if (!kubernetes::is_feature_gate(name)) {
      others.unknown.push_back({std::string(name), kubernetes::closest_feature_gate(name)});
    } else if (!stage_meant_by(name)) {
      others.without_effect.emplace_back(name);
    }
  }
  if (gates.dra_workload_resource_claims && !gates.generic_workload) {
    return refuse("feature gate DRAWorkloadResourceClaims needs GenericWorkload=true as well");
  }
  return others;
}

std::string known_controllers() {
  std::vector<std::string_view> names;
  for (const ControlType* type : control_types()) names.push_back(type->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<Conflict> select_controllers(const Strings& names, Options& options) {
  const bool all = std::ranges::find(names, "*") != names.end();
  for (const ControlType* type : control_types()) options.*(type->runs) = all;
  for (const std::string& name : names) {
    if (name == "*") continue;
    const bool is_minus = name.starts_with('-');
    const std::string bare = name.substr(is_minus ? 1 : 0);
    const auto found = std::ranges::find_if(control_types(), [&](const ControlType* type) {
      return bare == type->name || (!type->alias.empty() && bare == type->alias);
    });
    if (found != control_types().end()) {
      options.*((*found)->runs) = !is_minus;
    } else if (!kubernetes::is_controller(bare)) {
      return refuse_unknown(name, bare);
    } else if (!is_minus) {
      options.without_effect.push_back(bare);
    }
  }
  return conflict_if_none(options);
}

std::optional<Conflict> settle_feature_gates(const Switches& gates, Options& options) {
  auto others = set_feature_gates(gates, options.features);
  if (!others) return Conflict{"feature-gates", others.error().message};
  options.without_effect.insert(options.without_effect.end(), others->without_effect.begin(),
                                others->without_effect.end());
  options.unknown_gates = std::move(others->unknown);
  for (const ControlType* type : control_types()) {
    if (type->gate != nullptr && !(options.features.*(type->gate))) options.*(type->runs) = false;
  }
  return conflict_if_none(options);
}

}  // namespace dcm::dra_manager
