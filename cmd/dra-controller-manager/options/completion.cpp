#include "cmd/dra-controller-manager/options/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/options/help.hpp"

namespace dcm::manager {
namespace {

// The possible values of a flag.
Strings values_of(const Setting& row) {
  return row.is_switch() ? Strings{"true", "false"} : row.choices;
}

Strings dashed(std::span<const Setting> table) {
  Strings flags;
  for (const Setting& row : table) {
    flags.push_back(row.is_switch() ? "--" + row.text.flag : "--" + row.text.flag + "=");
  }
  return flags;
}

Strings names_of(std::span<const Command> commands) {
  Strings names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

// ---- bash ----

// A branch for each flag whose values are known.
std::string bash_values(std::span<const Setting> table) {
  std::string branches;
  for (const Setting& row : table) {
    if (row.names_file()) {
      branches += fmt::format(
          "    --{}) compopt -o filenames 2>/dev/null\n"
          "      COMPREPLY=($(compgen -f -- \"$value\")); return ;;\n",
          row.text.flag);
    } else if (const Strings values = values_of(row); !values.empty()) {
      branches += fmt::format("    --{}) COMPREPLY=($(compgen -W '{}' -- \"$value\")); return ;;\n",
                              row.text.flag, fmt::join(values, " "));
    }
  }
  return branches;
}

std::string bash_commands(std::span<const Command> commands) {
  std::string branches;
  for (const Command& command : commands) {
    Strings words = command.choices;
    for (const std::string& flag : dashed(command.settings())) words.push_back(flag);
    branches += fmt::format("    {}) words='{} --help' ;;\n", command.name, fmt::join(words, " "));
  }
  return branches;
}

constexpr std::string_view kBash =
    R"(# bash completion for dra-controller-manager
_dra_controller_manager() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} flag='' value='' words
  COMPREPLY=()
  # Readline splits at "=": the flag is one word before it.
  if [[ $word == '=' ]]; then
    flag=$before
  elif [[ $before == '=' ]]; then
    flag=${{COMP_WORDS[COMP_CWORD-2]}} value=$word
  elif [[ $before == -* ]]; then
    flag=$before value=$word
  fi
  case $flag in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}    *) words='{} --help --version'
      if [[ $COMP_CWORD == 1 ]]; then words+=' {}'; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ ${{COMPREPLY[0]}} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}}
complete -F _dra_controller_manager dra-controller-manager
)";

std::string bash(std::span<const Setting> table, std::span<const Command> commands) {
  std::string values = bash_values(table);
  for (const Command& command : commands) values += bash_values(command.settings());
  return fmt::format(kBash, values, bash_commands(commands), fmt::join(dashed(table), " "),
                     fmt::join(names_of(commands), " "));
}

// ---- zsh ----

// In the specs of _arguments, inside single quotes.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == ':' || c == '[' || c == ']' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string zsh_flag(const Setting& row) {
  const std::string head = fmt::format("'--{}{}[{}]", row.text.flag, row.is_switch() ? "=-" : "=",
                                       zsh_text(row.text.help));
  const Strings values = values_of(row);
  if (row.is_switch()) return fmt::format("{}::value:({})'", head, fmt::join(values, " "));
  if (!values.empty()) return fmt::format("{}:value:({})'", head, fmt::join(values, " "));
  return fmt::format("{}:{}:{}'", head, zsh_text(row.text.placeholder),
                     row.names_file() ? "_files" : "");
}

std::string zsh_flags(std::span<const Setting> table) {
  std::string lines;
  for (const Setting& row : table) lines += fmt::format("    {} \\\n", zsh_flag(row));
  return lines + "    '--help[Prints all flags.]'";
}

std::string zsh_commands(std::span<const Command> commands) {
  std::string branches;
  for (const Command& command : commands) {
    const std::string words =
        command.choices.empty()
            ? ""
            : fmt::format("    '2:word:({})' \\\n", fmt::join(command.choices, " "));
    branches += fmt::format("  {}) _arguments '1:command:' \\\n{}{} ;;\n", command.name, words,
                            zsh_flags(command.settings()));
  }
  return branches;
}

std::string zsh(std::span<const Setting> table, std::span<const Command> commands) {
  return fmt::format(
      "#compdef dra-controller-manager\n"
      "case ${{words[2]}} in\n{}"
      "  *) _arguments '1:command:({})' \\\n{} \\\n"
      "    '--version[Prints the version.]' ;;\nesac\n",
      zsh_commands(commands), fmt::join(names_of(commands), " "), zsh_flags(table));
}

// ---- fish ----

std::string fish_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

constexpr std::string_view kFishNoCommand = " -n __fish_use_subcommand";

std::string fish_flag(const Setting& row, std::string_view when) {
  std::string line = fmt::format("complete -c dra-controller-manager{} -l {}", when, row.text.flag);
  if (row.text.letter != 0) line += fmt::format(" -s {}", row.text.letter);
  const Strings values = values_of(row);
  if (row.names_file()) {
    line += " -r -F";
  } else if (!values.empty()) {
    line += fmt::format(" {} -a '{}'", row.is_switch() ? "-f" : "-x", fmt::join(values, " "));
  } else {
    line += " -x";
  }
  return line + fmt::format(" -d '{}'\n", fish_text(row.text.help));
}

std::string fish_command(const Command& command) {
  std::string lines = fmt::format("complete -c dra-controller-manager{} -a {} -d '{}'\n",
                                  kFishNoCommand, command.name, fish_text(command.help));
  const std::string when = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
  if (!command.choices.empty()) {
    lines += fmt::format("complete -c dra-controller-manager{} -a '{}'\n", when,
                         fmt::join(command.choices, " "));
  }
  for (const Setting& row : command.settings()) lines += fish_flag(row, when);
  return lines;
}

std::string fish(std::span<const Setting> table, std::span<const Command> commands) {
  std::string script =
      "# fish completion for dra-controller-manager\n"
      "complete -c dra-controller-manager -f\n"
      "complete -c dra-controller-manager -s h -l help -d 'Prints all flags.'\n";
  script += fmt::format(
      "complete -c dra-controller-manager{} -l version -d 'Prints the version.'\n", kFishNoCommand);
  for (const Setting& row : table) script += fish_flag(row, kFishNoCommand);
  for (const Command& command : commands) script += fish_command(command);
  return script;
}

}  // namespace

std::optional<Shell> shell_named(std::string_view name) {
  if (name == "bash") return Shell::bash;
  if (name == "zsh") return Shell::zsh;
  if (name == "fish") return Shell::fish;
  return std::nullopt;
}

std::string make_completion(Shell shell, std::span<const Setting> table,
                            std::span<const Command> commands) {
  switch (shell) {
    case Shell::bash:
      return bash(table, commands);
    case Shell::zsh:
      return zsh(table, commands);
    case Shell::fish:
      break;
  }
  return fish(table, commands);
}

}  // namespace dcm::manager
