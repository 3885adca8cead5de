#include "cmd/dra-controller-manager/feature_gates.hpp"

#include <algorithm>
#include <array>
#include <optional>
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
    FeatureGate{"DRAWorkloadResourceClaims", "ALPHA", &FeatureGates::dra_workload_resource_claims,
                FeatureGate::Lock::not_supported},
    FeatureGate{"GenericWorkload", "ALPHA", &FeatureGates::generic_workload,
                FeatureGate::Lock::not_supported},
};

std::unexpected<runtime::Error> refuse(std::string why) {
  return runtime::fail(Reason::configuration, std::move(why));
}

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string known_names() {
  std::array<std::string_view, kGates.size()> names;
  std::ranges::transform(kGates, names.begin(), &FeatureGate::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

runtime::Result<> apply_one(std::string_view setting, FeatureGates& gates) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::string_view name = setting.substr(0, equals);
  const auto value = parse_bool(setting.substr(std::min(equals + 1, setting.size())));
  if (!value) return refuse(fmt::format("\"{}\" is not NAME=true or NAME=false", setting));
  const auto gate = std::ranges::find(kGates, name, &FeatureGate::name);
  if (gate == kGates.end()) {
    return refuse(fmt::format("unknown feature gate \"{}\" (known: {})", name, known_names()));
  }
  const bool by_default = FeatureGates().*gate->value;
  if (gate->lock != FeatureGate::Lock::none && *value != by_default) {
    const bool is_missing = gate->lock == FeatureGate::Lock::not_supported;
    return refuse(fmt::format("feature gate {} is locked to {}{}", name, by_default,
                              is_missing ? ": this version does not handle pod groups" : ""));
  }
  gates.*(gate->value) = *value;
  return {};
}

}  // namespace

std::span<const FeatureGate> known_feature_gates() {
  return kGates;
}

runtime::Result<> apply_feature_gates(std::string_view settings, FeatureGates& gates) {
  FeatureGates changed = gates;
  while (!settings.empty()) {
    const std::size_t comma = std::min(settings.find(','), settings.size());
    const std::string_view setting = settings.substr(0, comma);
    settings.remove_prefix(std::min(comma + 1, settings.size()));
    if (setting.empty()) continue;
    if (auto applied = apply_one(setting, changed); !applied) return applied;
  }
  gates = changed;
  return {};
}

}  // namespace dcm::manager
