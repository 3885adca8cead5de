// The texts of --help of the manager and its commands.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/words.hpp"
#include "manager/options/help.hpp"

namespace dcm::dra_manager {

inline constexpr std::string_view kSummary =
    "Makes and releases ResourceClaims for pods, and evicts pods from tainted devices.";

std::string manager_help(std::span<const Setting> table);
std::string command_help(const Command& command);

}  // namespace dcm::dra_manager
