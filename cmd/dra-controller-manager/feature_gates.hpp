// Kubernetes feature gates on the command line: the names and stages of
// kube-controller-manager 1.37 that matter to the controllers here.
#pragma once

#include <span>
#include <string_view>

#include "cmd/dra-controller-manager/options/value.hpp"
#include "controllers/common/feature_gates.hpp"
#include "runtime/error.hpp"

namespace dcm::manager {

struct FeatureGate {
  std::string_view name;
  std::string_view stage;  // as in kubernetes_feature_enabled: "ALPHA", "BETA" or "" (GA)
  // None is locked, for each can be turned off in some version that this program works with.
  bool common::FeatureGates::* value;
};

std::span<const FeatureGate> known_feature_gates();

// Turns gates on or off; AllAlpha and AllBeta do it for those of that stage that are not named.
// Returns the gates that Kubernetes has and that nothing here asks for. Errors: configuration;
// names a gate and what is wrong with it.
runtime::Result<Strings> set_feature_gates(const Switches& switches, common::FeatureGates& gates);

}  // namespace dcm::manager
