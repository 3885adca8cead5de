// The manual page dra-controller-manager(8), from the same table as the flags and --help.
#pragma once

#include <span>
#include <string>

#include "cmd/dra-controller-manager/commands.hpp"
#include "options/setting.hpp"

namespace dcm::dra_manager {

// In man(7) format, without a date: the same table gives the same page.
std::string make_man_page(std::span<const Setting> table, std::span<const Command> commands);

}  // namespace dcm::dra_manager
