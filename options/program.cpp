#include "options/program.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "options/help.hpp"
#include "runtime/one_line.hpp"

namespace dcm::options {
namespace {

std::string usage_of(const CommandText& command) {
  return command.synopsis.empty() ? command.name : command.name + " " + command.synopsis;
}

}  // namespace

std::string usage_help(const Usage& usage, std::span<const Setting> table) {
  std::string text =
      fmt::format("{}\nUsage:\n  {}{}\n", wrap(usage.summary, 0, kHelpWidth),
                  usage_of({usage.name, usage.synopsis, {}}), table.empty() ? "" : " [flags]");
  for (const CommandText& command : usage.commands) {
    text += fmt::format("  {} {}\n", usage.name, usage_of(command));
  }
  if (!table.empty() && table.front().group.empty()) text += "\nFlags:\n\n";
  text += grouped_flags(table);
  if (!usage.version.empty()) {
    text += "\nGlobal flags:\n\n" + flag_lines("-h, --help", "Prints this text.") +
            flag_lines("--version", "Prints the version.");
  }
  if (!usage.commands.empty()) text += "\nCommands:\n\n";
  for (const CommandText& command : usage.commands) {
    text += flag_lines(usage_of(command), command.help);
  }
  return text + usage.notes;
}

std::expected<Arguments, Exit> read_arguments(const Usage& usage, std::span<const Setting> table,
                                              const Strings& arguments) {
  auto line = parse_command_line(table, arguments);
  if (!line) return refuse(usage.name, line.error());
  if (line->wants_help) return std::unexpected(Exit{0, usage_help(usage, table)});
  if (line->wants_version) {
    if (usage.version.empty())
      return refuse(usage.name, "unknown flag --version; --help lists all");
    return std::unexpected(Exit{0, fmt::format("{} {}\n", usage.name, usage.version)});
  }
  if (usage.synopsis.empty() && !line->words.empty()) {
    const std::string& word = line->words.front();
    const auto command = std::ranges::find(usage.commands, word, &CommandText::name);
    if (command == usage.commands.end()) {
      return refuse(usage.name, refuse_word(word, usage.commands));
    }
  }
  auto effective = apply_settings(table, line->given);
  if (!effective) return refuse(usage.name, effective.error());
  return Arguments{std::move(*line), std::move(*effective)};
}

std::unexpected<Exit> refuse(std::string_view name, std::string_view why) {
  return std::unexpected(Exit{2, runtime::one_line(fmt::format("{}: {}", name, why))});
}

std::string refuse_word(std::string_view word, std::span<const CommandText> commands) {
  Strings names;
  for (const CommandText& command : commands) names.push_back(command.name);
  const std::string meant = closest(word, names);
  const std::string_view all = names.empty() ? "flags" : "flags and commands";
  return fmt::format(
      "unexpected argument \"{}\"; {}", word,
      meant.empty() ? fmt::format("--help lists {}", all) : fmt::format("did you mean {}?", meant));
}

int print(const Exit& exit) {
  std::FILE* const stream = exit.status == 0 ? stdout : stderr;
  std::fputs((exit.text + (exit.text.ends_with('\n') ? "" : "\n")).c_str(), stream);
  const bool was_written = std::fflush(stream) == 0 && std::ferror(stream) == 0;
  return was_written || exit.status != 0 ? exit.status : 1;
}

}  // namespace dcm::options
