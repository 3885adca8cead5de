// The manual page dra-controller-manager(8), from the same table as everything else.
#pragma once

#include <span>
#include <string>

#include "client/manager/options/setting.hpp"
#include "cmd/dra-controller-manager/commands.hpp"

namespace dcm::manager {

// In man(7), without a date: the same table gives the same page.
std::string make_man_page(std::span<const Setting> table, std::span<const Command> commands);

}  // namespace dcm::manager
