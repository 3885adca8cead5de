#include "cmd/dra-controller-manager/feature_gates.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "runtime/assert.hpp"

namespace dcm::manager {
namespace {

using runtime::Reason;

constexpr std::array kGates = {
    FeatureGate{"DRAAdminAccess", "", true, true},
    FeatureGate{"DRAPrioritizedList", "", true, true},
    FeatureGate{"DRAWorkloadResourceClaims", "ALPHA", false, false},
    FeatureGate{"GenericWorkload", "ALPHA", false, false},
};

std::optional<std::size_t> find_gate(std::string_view name) {
  const auto found = std::ranges::find(kGates, name, &FeatureGate::name);
  if (found == kGates.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kGates.begin());
}

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string known_names() {
  std::string names;
  for (const FeatureGate& gate : kGates) {
    names += names.empty() ? "" : ", ";
    names += gate.name;
  }
  return names;
}

runtime::Result<> apply_one(std::string_view setting, std::vector<bool>& enabled) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const auto value =
      equals == setting.npos ? std::nullopt : parse_bool(setting.substr(equals + 1));
  if (!value) {
    return runtime::fail(Reason::configuration,
                         fmt::format("\"{}\" is not NAME=true or NAME=false", setting));
  }
  const auto gate = find_gate(name);
  if (!gate) {
    return runtime::fail(Reason::configuration,
                         fmt::format("unknown feature gate \"{}\" (known: {})", name,
                                     known_names()));
  }
  if (kGates[*gate].is_locked && *value != kGates[*gate].is_enabled_by_default) {
    return runtime::fail(Reason::configuration,
                         fmt::format("feature gate {} is locked to {}", name,
                                     kGates[*gate].is_enabled_by_default));
  }
  enabled[*gate] = *value;
  return {};
}

}  // namespace

std::span<const FeatureGate> known_feature_gates() { return kGates; }

FeatureGates::FeatureGates() {
  for (const FeatureGate& gate : kGates) enabled_.push_back(gate.is_enabled_by_default);
}

bool FeatureGates::is_enabled(std::string_view name) const {
  const auto gate = find_gate(name);
  DCM_ASSERT(gate.has_value());
  return enabled_[*gate];
}

runtime::Result<> FeatureGates::apply(std::string_view settings) {
  std::vector<bool> enabled = enabled_;
  while (!settings.empty()) {
    const std::size_t comma = std::min(settings.find(','), settings.size());
    const std::string_view setting = settings.substr(0, comma);
    settings.remove_prefix(std::min(comma + 1, settings.size()));
    if (setting.empty()) continue;
    if (auto applied = apply_one(setting, enabled); !applied) return applied;
  }
  enabled_ = std::move(enabled);
  return {};
}

}  // namespace dcm::manager
