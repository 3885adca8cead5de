// Reads the arguments of a program or of one of its commands: settings, help, version, mistakes.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/effective.hpp"

namespace dcm::options {

// Nothing to run: print this and exit with that status.
struct Exit {
  int status;        // 0: help or version; 2: bad flags or configuration file
  std::string text;  // for standard output (status 0) or standard error
};

// A command, in the help of its program.
struct CommandText {
  std::string name;
  std::string synopsis;  // the words that it takes: "KIND [NAMESPACE/]NAME"
  std::string help;      // one sentence
};

struct Usage {
  std::string name;           // for a command: "program command"
  std::string version = {};   // empty: --version is an unknown flag
  std::string summary = {};   // sentences, for --help
  std::string synopsis = {};  // the words that it takes; empty: none but commands
  std::vector<CommandText> commands = {};
  std::string notes = {};  // after the flags in its help
};

std::string usage_help(const Usage& usage, std::span<const Setting> table);

struct Arguments {
  CommandLine line;
  Effective effective;
};

// Applies every row of `table`.
std::expected<Arguments, Exit> read_arguments(const Usage& usage, std::span<const Setting> table,
                                              const Strings& arguments);

// An Exit for bad flags of the program or command of that name, in one line.
std::unexpected<Exit> refuse(std::string_view name, std::string_view why);
// "unexpected argument "dmeo"; did you mean demo?".
std::string refuse_word(std::string_view word, std::span<const CommandText> commands);

// Returns the exit status: 1 if the text of a success cannot be written.
int print(const Exit& exit);

}  // namespace dcm::options
