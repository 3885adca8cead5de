#include "cmd/dra-controller-manager/commands.hpp"

#include <algorithm>
#include <cstdio>

#include "cmd/dra-controller-manager/explain_command.hpp"
#include "cmd/dra-controller-manager/options/manager_help.hpp"
#include "cmd/dra-controller-manager/options/settings.hpp"
#include "manager/options/command_line.hpp"
#include "manager/own_process.hpp"

namespace dcm::dra_manager {
namespace {

Settings no_settings() {
  return {};
}

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

int run_version(const Strings& arguments) {
  const auto line = parse_command_line({}, arguments);
  if (!line) return refuse("dra-controller-manager version", line.error());
  if (line->wants_help) return print(command_help(*find_command({"version"})));
  if (!line->words.empty())
    return refuse("dra-controller-manager version", "expected no arguments");
  return print(version_and_commit() + "\n");
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kCommands = {
      explain_command(),
      {"version", "", "Prints the version, its commit and the commit's date, as --version does.",
       no_settings, run_version},
  };
  return kCommands;
}

const Command* find_command(const Strings& arguments) {
  if (arguments.empty()) return nullptr;
  const auto found = std::ranges::find(commands(), arguments.front(), &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

}  // namespace dcm::dra_manager
