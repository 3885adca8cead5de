#include "cmd/dra-controller-manager/options/manager_help.hpp"

#include "runtime/version.hpp"

namespace dcm::dra_manager {

options::Usage manager_usage() {
  return {.name = "dra-controller-manager",
          .version = std::string(runtime::kVersion),
          .summary = std::string(kSummary),
          .commands = {commands().begin(), commands().end()}};
}

options::Usage usage_of(const Command& command) {
  return {.name = "dra-controller-manager " + command.name,
          .summary = command.help,
          .synopsis = command.synopsis,
          .notes = command.notes};
}

std::string help_of(const Command& command) {
  return options::usage_help(usage_of(command), command.settings());
}

}  // namespace dcm::dra_manager
