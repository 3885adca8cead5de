#include "cmd/dra-controller-manager/commands.hpp"

#include <algorithm>
#include <vector>

#include "cmd/dra-controller-manager/explain_command.hpp"
#include "cmd/dra-controller-manager/options/manager_help.hpp"
#include "cmd/dra-controller-manager/options/settings.hpp"

namespace dcm::dra_manager {
namespace {

Settings no_settings() {
  return {};
}

int run_version(const Strings& arguments) {
  const auto line = read_arguments(usage_of(*find_command({"version"})), {}, arguments);
  return print(line ? Exit{0, version_and_commit()} : line.error());
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kCommands = {
      explain_command(),
      {{"version", "", "Prints the version, its commit and the commit's date, as --version does."},
       no_settings,
       run_version},
  };
  return kCommands;
}

const Command* find_command(const Strings& arguments) {
  if (arguments.empty()) return nullptr;
  const auto found = std::ranges::find(commands(), arguments.front(), &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

}  // namespace dcm::dra_manager
