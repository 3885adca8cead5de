// Which controllers run: --controllers, as in kube-controller-manager, and the feature gates.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/dra-controller-manager/options.hpp"
#include "controllers/common/feature_gates.hpp"
#include "options/effective.hpp"
#include "options/value.hpp"
#include "runtime/error.hpp"

namespace dcm::dra_manager {

// "resourceclaim-controller, device-taint-eviction-controller"
std::string known_controllers();

// "*" is every controller, "-name" turns one off; without "*", only named controllers run.
std::optional<Conflict> select_controllers(const Strings& names, Options& options);

// A controller whose gate is off does not run. Call it after select_controllers().
std::optional<Conflict> settle_feature_gates(const Switches& gates, Options& options);

// A feature gate of kube-controller-manager 1.37 that matters to the controllers here.
struct FeatureGate {
  std::string_view name;
  std::string_view stage;  // as in kubernetes_feature_enabled: "ALPHA", "BETA" or "" (GA)
  // None is locked, because each can be turned off in some supported version.
  bool common::FeatureGates::* value;
};

std::span<const FeatureGate> known_feature_gates();

struct OtherGates {
  Strings without_effect;  // gates of Kubernetes that nothing here uses
  // Unknown in all known versions. A control plane may be newer than this program, and its flags
  // must not prevent the start.
  std::vector<UnknownGate> unknown;
};

// Turns gates on or off; AllAlpha and AllBeta do so for gates of that stage that are not named.
// Errors: configuration; names a gate and the problem.
runtime::Result<OtherGates> set_feature_gates(const Switches& switches,
                                              common::FeatureGates& gates);

}  // namespace dcm::dra_manager
