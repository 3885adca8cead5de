// The texts of --help of the manager and its commands.
#pragma once

#include <string>
#include <string_view>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/namespaces.hpp"
#include "options/program.hpp"

namespace dcm::dra_manager {

inline constexpr std::string_view kSummary =
    "Makes and releases ResourceClaims for pods, and evicts pods from tainted devices.";

Usage manager_usage();
Usage usage_of(const Command& command);
std::string help_of(const Command& command);

}  // namespace dcm::dra_manager
