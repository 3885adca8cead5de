#include "cmd/dra-controller-manager/options/manager_help.hpp"

#include <fmt/format.h>

#include "cmd/dra-controller-manager/options.hpp"
#include "runtime/version.hpp"

namespace dcm::dra_manager {

options::Usage manager_usage() {
  return {.name = kProgram,
          .version = std::string(runtime::kVersion),
          .summary = std::string(kSummary),
          .commands = {commands().begin(), commands().end()}};
}

options::Usage usage_of(const Command& command) {
  return {.name = fmt::format("{} {}", kProgram, command.name),
          .summary = command.help,
          .synopsis = command.synopsis,
          .notes = command.notes};
}

std::string help_of(const Command& command) {
  return options::usage_help(usage_of(command), command.settings());
}

}  // namespace dcm::dra_manager
