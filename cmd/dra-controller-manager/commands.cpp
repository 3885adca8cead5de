#include "cmd/dra-controller-manager/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

#include "cmd/dra-controller-manager/explain/command.hpp"
#include "cmd/dra-controller-manager/options/command_line.hpp"
#include "cmd/dra-controller-manager/options/completion.hpp"
#include "cmd/dra-controller-manager/options/help.hpp"
#include "cmd/dra-controller-manager/options/man_page.hpp"
#include "cmd/dra-controller-manager/options/settings.hpp"
#include "runtime/one_line.hpp"

namespace dcm::manager {
namespace {

Settings no_settings() {
  return {};
}

int refuse(std::string_view why) {
  const std::string line = runtime::one_line(fmt::format("dra-controller-manager {}", why));
  std::fputs((line + "\n").c_str(), stderr);
  return 2;
}

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

// The table, to be read and not applied.
Settings manager_settings() {
  Draft draft;
  return make_settings(draft);
}

// The words of a command without flags; nothing: it has said what is wrong, or its help.
int with_words(const std::string& name, const Strings& arguments,
               const std::function<int(const Strings&)>& run) {
  const Command& command = *find_command({name});
  const auto line = parse_command_line({}, arguments, KubernetesFlags::unknown);
  if (!line) return refuse(name + ": " + line.error());
  if (line->wants_help) return print(command_help(command));
  return run(line->words);
}

// "; did you mean bash?" for a mistyped shell.
std::string meant(const Strings& words) {
  const std::string shell = words.empty() ? "" : closest(words.front(), {"bash", "zsh", "fish"});
  return shell.empty() ? "" : fmt::format("; did you mean {}?", shell);
}

int run_completion(const Strings& arguments) {
  return with_words("completion", arguments, [](const Strings& words) {
    const auto shell = words.size() == 1 ? shell_named(words.front()) : std::nullopt;
    if (!shell) return refuse("completion: expected one of bash, zsh and fish" + meant(words));
    return print(make_completion(*shell, manager_settings(), commands()));
  });
}

int run_man(const Strings& arguments) {
  return with_words("man", arguments, [](const Strings& words) {
    if (!words.empty()) return refuse("man: expected no arguments");
    return print(make_man_page(manager_settings(), commands()));
  });
}

int run_version(const Strings& arguments) {
  return with_words("version", arguments, [](const Strings& words) {
    if (!words.empty()) return refuse("version: expected no arguments");
    return print(version_line() + "\n");
  });
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kCommands = {
      {"completion",
       "bash|zsh|fish",
       "Prints a script that completes commands and flags in that shell.",
       {"bash", "zsh", "fish"},
       no_settings,
       run_completion},
      explain_command(),
      {"man", "", "Prints the manual page, for man -l -.", {}, no_settings, run_man},
      {"version", "", "Prints the version, as --version does.", {}, no_settings, run_version},
  };
  return kCommands;
}

const Command* find_command(const Strings& arguments) {
  if (arguments.empty()) return nullptr;
  const auto found = std::ranges::find(commands(), arguments.front(), &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

}  // namespace dcm::manager
