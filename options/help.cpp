#include "options/help.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::options {
namespace {

constexpr std::size_t kFlagIndent = 6;
constexpr std::size_t kTextIndent = 16;

}  // namespace

std::string flag_lines(std::string_view usage, std::string_view help) {
  return fmt::format("{:{}}{}\n{}", "", kFlagIndent, usage, wrap(help, kTextIndent, kHelpWidth));
}

std::string grouped_flags(std::span<const Setting> table) {
  std::string text;
  std::string_view group;
  for (const Setting& row : table) {
    if (row.group != group) text += fmt::format("\n{} flags:\n\n", group = row.group);
    text += flag_lines(flag_usage(row), full_help(row));
  }
  return text;
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t width) {
  const std::size_t room = width - indent;
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > room) {
      const std::size_t blank = text.rfind(' ', room);
      end = blank == text.npos ? std::min(text.find(' '), text.size()) : blank;
    }
    lines += fmt::format("{:{}}{}\n", "", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string flag_usage(const Setting& setting) {
  const SettingText& text = setting.text;
  const std::string shown = text.letter == 0 ? fmt::format("--{}", text.flag)
                                             : fmt::format("-{}, --{}", text.letter, text.flag);
  return text.placeholder.empty() ? shown : shown + " " + text.placeholder;
}

std::string full_help(const Setting& setting) {
  if (setting.is_required) return setting.text.help + " Required.";
  const std::string by_default = to_text(setting.by_default);
  if (by_default.empty()) return setting.text.help;
  return fmt::format("{} (default {})", setting.text.help, by_default);
}

}  // namespace dcm::options
