#include "cmd/dra-controller-manager/options/manager_help.hpp"

#include <fmt/format.h>

namespace dcm::dra_manager {
namespace {

std::string usage_of(const Command& command) {
  return command.synopsis.empty() ? command.name : command.name + " " + command.synopsis;
}

}  // namespace

std::string manager_help(std::span<const Setting> table) {
  std::string text = fmt::format("{}\n\nUsage:\n  dra-controller-manager [flags]\n", kSummary);
  for (const Command& command : commands()) {
    text += fmt::format("  dra-controller-manager {}\n", usage_of(command));
  }
  text += grouped_flags(table);
  text += "\nGlobal flags:\n\n";
  text += flag_lines("-h, --help", "Prints this text.");
  text += flag_lines("--version", "Prints the version.");
  text += "\nCommands:\n\n";
  for (const Command& command : commands()) text += flag_lines(usage_of(command), command.help);
  return text;
}

std::string command_help(const Command& command) {
  const Settings table = command.settings();
  return fmt::format("{}\n\nUsage:\n  dra-controller-manager {}{}\n{}{}", command.help,
                     usage_of(command), table.empty() ? "" : " [flags]", grouped_flags(table),
                     command.notes);
}

}  // namespace dcm::dra_manager
