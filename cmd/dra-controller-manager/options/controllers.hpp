// Which controllers run: --controllers, as in kube-controller-manager, and the feature gates.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/dra-controller-manager/options.hpp"
#include "controllers/common/feature_gates.hpp"
#include "manager/options/effective.hpp"
#include "manager/options/value.hpp"
#include "runtime/error.hpp"

namespace dcm::manager {

// "resourceclaim-controller, device-taint-eviction-controller"
std::string known_controllers();

// "*" is every controller, "-name" turns one off; without "*", what is named is all there is.
std::optional<Conflict> select_controllers(const Strings& names, Options& options);

// A controller whose gate is off does not run. After select_controllers().
std::optional<Conflict> settle_feature_gates(const Switches& gates, Options& options);

// A feature gate of kube-controller-manager 1.37 that matters to the controllers here.
struct FeatureGate {
  std::string_view name;
  std::string_view stage;  // as in kubernetes_feature_enabled: "ALPHA", "BETA" or "" (GA)
  // None is locked, for each can be turned off in some version that this program works with.
  bool common::FeatureGates::* value;
};

std::span<const FeatureGate> known_feature_gates();

struct OtherGates {
  Strings without_effect;  // gates that Kubernetes has and that nothing here asks for
  // No version that we know has them. A control plane may be newer than this program, and its line
  // must not keep it from starting.
  std::vector<UnknownGate> unknown;
};

// Turns gates on or off; AllAlpha and AllBeta do it for those of that stage that are not named.
// Errors: configuration; names a gate and what is wrong with it.
runtime::Result<OtherGates> set_feature_gates(const Switches& switches,
                                              common::FeatureGates& gates);

}  // namespace dcm::manager
