// Names that only Kubernetes' own components use: flags, controllers and feature gates.
//
// Control planes often use the same flags everywhere. So flags for other controllers of
// kube-controller-manager are accepted here as well, and named at the start. Flags for unsupported
// behaviour of the process itself are rejected: ignoring them would surprise the operator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cmd/dra-controller-manager/namespaces.hpp"
#include "options/command_line.hpp"

namespace dcm::dra_manager::kubernetes {

// A flag of kube-controller-manager, without its dashes; underscores stand for dashes.
std::optional<FlagType> flag_type(std::string_view name);
// Why kube-controller-manager's flag cannot have that value here; empty: it has no effect on these
// controllers, or requests what they do anyway. `kubeconfig` is the manager's file.
std::string why_refused(std::string_view name, std::string_view value, std::string_view kubeconfig);

bool is_controller(std::string_view name);
bool is_feature_gate(std::string_view name);

// The gate that was probably meant; empty if none is similar.
std::string closest_feature_gate(std::string_view wrong);

}  // namespace dcm::dra_manager::kubernetes
