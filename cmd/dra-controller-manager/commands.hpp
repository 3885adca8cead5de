// The program's subcommands, in one table.
//
// A command has its own flags, in the same kind of table as the manager's; main(), --help and the
// manual page use only the rows.
#pragma once

#include <span>
#include <string>

#include "cmd/dra-controller-manager/namespaces.hpp"
#include "options/program.hpp"

namespace dcm::dra_manager {

struct Command : CommandText {
  // Its flags, for reading: they must not be applied.
  Settings (*settings)();
  // Runs it with the arguments after its name. Returns the exit status.
  int (*run)(const Strings& arguments);
  // After the flags in its help: examples, exit statuses.
  std::string notes = {};
};

std::span<const Command> commands();

// The command named by the first argument, or null.
const Command* find_command(const Strings& arguments);

}  // namespace dcm::dra_manager
