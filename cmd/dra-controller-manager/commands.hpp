// The program's subcommands, in one table.
//
// A command has flags of its own, by the same kind of table as the manager's; main(), --help
// and the manual page know commands through their rows only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "manager/options/setting.hpp"

namespace dcm::manager {

struct Command {
  std::string name;
  std::string synopsis;  // of its words: "KIND [NAMESPACE/]NAME"
  std::string help;      // one sentence
  // Its flags, to be read: they must not be applied.
  Settings (*settings)();
  // Runs it with what stands behind its name. Returns the exit status.
  int (*run)(const Strings& arguments);
  // Below the flags in its help: examples, exit statuses.
  std::string notes = {};
};

std::span<const Command> commands();

// The command that the first argument names, or null.
const Command* find_command(const Strings& arguments);

}  // namespace dcm::manager
