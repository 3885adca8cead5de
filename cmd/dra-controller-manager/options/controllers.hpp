// Which controllers run: --controllers, as in kube-controller-manager, and the feature gates.
#pragma once

#include <optional>
#include <string>

#include "cmd/dra-controller-manager/options.hpp"
#include "cmd/dra-controller-manager/options/effective.hpp"

namespace dcm::manager {

// "resourceclaim-controller, device-taint-eviction-controller"
std::string known_controllers();

// "*" is every controller, "-name" turns one off; without "*", what is named is all there is.
std::optional<Conflict> select_controllers(const Strings& names, Options& options);

// A controller whose gate is off does not run. After select_controllers().
std::optional<Conflict> settle_feature_gates(const Switches& gates, Options& options);

}  // namespace dcm::manager
