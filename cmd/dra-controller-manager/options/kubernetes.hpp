// Names that only Kubernetes' own components use: flags, controllers and feature gates. We know
// them by name.
//
// A control plane is often given the same line everywhere. So what kube-controller-manager accepts,
// or any Kubernetes version has known, is accepted here as well, and named at the start.
#pragma once

#include <optional>
#include <string_view>

#include "cmd/dra-controller-manager/options/value.hpp"

namespace dcm::manager::kubernetes {

enum class FlagType { with_value, switched };

// A flag of kube-controller-manager, without its dashes; underscores stand for dashes.
std::optional<FlagType> flag_type(std::string_view name);
bool is_controller(std::string_view name);
bool is_feature_gate(std::string_view name);

// The name that was probably meant; empty: none is near.
std::string closest_controller(std::string_view wrong);
std::string closest_feature_gate(std::string_view wrong);

}  // namespace dcm::manager::kubernetes
