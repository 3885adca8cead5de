#include "options/command_line.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace dcm::options {
namespace {

// A flag as written.
struct Written {
  std::string shown;                 // "--kube-api-qps", "-v", for messages
  const Setting* setting = nullptr;  // null: unknown
  std::optional<std::string> value;  // the attached value
};

// "--help", "--help=true".
bool is_asked(std::string_view flag, std::string_view argument) {
  if (!argument.starts_with(flag)) return false;
  argument.remove_prefix(flag.size());
  return argument.empty() ||
         (argument.starts_with('=') && parse_value(false, argument.substr(1)) == Value(true));
}

class Parser {
 public:
  Parser(std::span<const Setting> table, const Strings& arguments, const OtherFlags& others)
      : table_(table), others_(others), rest_(arguments.begin(), arguments.end()) {}

  std::expected<CommandLine, std::string> parse() {
    while (next_ < rest_.size() && problem_.empty()) take(rest_[next_++]);
    if (!problem_.empty()) return std::unexpected(std::move(problem_));
    return std::move(line_);
  }

 private:
  void take(const std::string& argument) {
    if (argument == "--") {
      line_.words.insert(line_.words.end(), rest_.begin() + static_cast<std::ptrdiff_t>(next_),
                         rest_.end());
      next_ = rest_.size();
    } else if (is_asked("--help", argument) || argument == "-h") {
      line_.wants_help = true;
    } else if (is_asked("--version", argument) || argument == "--version=raw") {
      line_.wants_version = true;
    } else if (argument.size() > 1 && argument.starts_with('-')) {
      take_flag(argument.starts_with("--") ? read_long(argument) : read_short(argument));
    } else {
      line_.words.push_back(argument);
    }
  }

  Written read_long(const std::string& argument) const {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    Written written{.shown = argument.substr(0, equals), .setting = nullptr, .value = {}};
    written.setting = find_flag(table_, std::string_view(written.shown).substr(2));
    if (equals < argument.size()) written.value = argument.substr(equals + 1);
    return written;
  }

  Written read_short(const std::string& argument) const {
    Written written{.shown = argument.substr(0, 2), .setting = nullptr, .value = {}};
    const auto row = std::ranges::find_if(
        table_, [&](const Setting& setting) { return setting.text.letter == argument[1]; });
    if (row != table_.end()) written.setting = &*row;
    if (argument.size() > 2) written.value = argument.substr(argument[2] == '=' ? 3 : 2);
    return written;
  }

  void take_flag(Written written) {
    if (written.setting == nullptr) return pass_over(std::move(written));
    if (!written.value && written.setting->is_switch()) written.value = "true";
    if (!written.value && next_ < rest_.size()) written.value = rest_[next_++];
    if (!written.value) {
      problem_ = fmt::format("{}: expected {} after it", written.shown, written.setting->expected);
      return;
    }
    auto value = parse_value(written.setting->by_default, *written.value);
    if (!value) {
      problem_ = fmt::format("{}: {}", written.shown,
                             refuse_value(written.setting->expected, *written.value));
      return;
    }
    add({written.setting, std::move(*value), written.shown});
  }

  void add(Given given) {
    for (Given& before : line_.given) {
      if (before.setting != given.setting) continue;
      if (const auto* const list = std::get_if<Strings>(&given.value)) {
        Strings& all = std::get<Strings>(before.value);
        all.insert(all.end(), list->begin(), list->end());
      } else {
        before.value = overlay(before.value, given.value);
      }
      return;
    }
    line_.given.push_back(std::move(given));
  }

  void pass_over(Written written) {
    const std::string_view name = std::string_view(written.shown).substr(2);
    const auto type = others_ ? others_(name) : std::nullopt;
    if (!type) return refuse_unknown(written.shown);
    if (*type == FlagType::with_value && !written.value) {
      if (next_ == rest_.size()) {
        problem_ = fmt::format("{}: expected a value after it", written.shown);
        return;
      }
      written.value = rest_[next_++];
    }
    line_.others.push_back({written.shown, written.value.value_or("true")});
  }

  void refuse_unknown(const std::string& shown) {
    Strings known = {"--help", "--version"};
    for (const Setting& setting : table_) known.push_back("--" + setting.text.flag);
    const std::string meant = closest(shown, known);
    problem_ = fmt::format("unknown flag {}{}", shown,
                           meant.empty() ? "; --help lists all" : "; did you mean " + meant + "?");
  }

  std::span<const Setting> table_;
  const OtherFlags& others_;
  Strings rest_;
  std::size_t next_ = 0;
  CommandLine line_;
  std::string problem_;
};

}  // namespace

std::expected<CommandLine, std::string> parse_command_line(std::span<const Setting> table,
                                                           const Strings& arguments,
                                                           const OtherFlags& others) {
  return Parser(table, arguments, others).parse();
}

}  // namespace dcm::options
