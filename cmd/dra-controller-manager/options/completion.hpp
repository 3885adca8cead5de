// Scripts that complete flags, commands and values in a shell, from the same table as the flags.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/options/setting.hpp"

namespace dcm::manager {

enum class Shell { bash, zsh, fish };
std::optional<Shell> shell_named(std::string_view name);

std::string make_completion(Shell shell, std::span<const Setting> table,
                            std::span<const Command> commands);

}  // namespace dcm::manager
