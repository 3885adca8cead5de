// A setting: one row of the table behind flags, configuration file, help and manual page.
//
// A row contains everything about its setting; readers and printers iterate over the rows and know
// none by name.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "options/value.hpp"
#include "runtime/time.hpp"

namespace dcm::options {

// The texts of a row.
struct SettingText {
  std::string flag;         // without the dashes: "kube-api-qps"
  std::string key;          // its key in the file: "clientConnection.qps"; empty: none
  std::string placeholder;  // stands for the value in help: "NUMBER"
  std::string help;         // sentences, with a full stop
  char letter = 0;          // 'v': also -v; 0: none
  std::string alias = {};   // an alternative name; empty: none
};

struct Setting {
  SettingText text;
  std::string group = {};
  std::string expected = {};  // in messages, after "expected": "a whole number above 0"
  Value by_default = {};      // has the type of the setting
  Strings choices = {};       // all valid values; empty: not a closed set
  bool is_required = false;
  Strings excludes = {};  // flags that cannot be combined with it, without the dashes
  // Stores the value in the row's target. Returns why it is invalid; empty: it was stored.
  std::function<std::string(const Value&)> apply = {};

  bool is_switch() const { return std::holds_alternative<bool>(by_default); }
};

using Settings = std::vector<Setting>;

// The valid range of a number.
struct Bounds {
  double least;
  double most;
  const char* expected;
  double least_above_zero = 0;  // of a rate: less would be almost none
};
inline constexpr Bounds kPositive = {1, std::numeric_limits<int>::max(),
                                     "a whole number from 1 to 2147483647"};
// Up to 2^53: a double represents every whole number up to that.
inline constexpr Bounds kWhole = {0, 9007199254740992, "a whole number from 0 to 9007199254740992"};

// Rows for the current value of `target`, which becomes the default. `target` must outlive the row.
Setting switch_setting(SettingText text, bool& target);
Setting text_setting(SettingText text, std::string& target);
// A string that may not be empty.
Setting name_setting(SettingText text, std::string& target);
Setting list_setting(SettingText text, Strings& target);
Setting switches_setting(SettingText text, Switches& target);
// A duration above 0, of at least `least`, and of up to 292 years: what a Duration can hold.
Setting duration_setting(SettingText text, runtime::Duration& target,
                         runtime::Duration least = runtime::Duration(1));
// Whole numbers of at least 0, separated by commas.
Setting numbers_setting(SettingText text, std::vector<std::size_t>& target);

// The row with a further condition.
Setting required(Setting row);
Setting excluding(Setting row, Strings flags);
// `check` returns why a text, or one of a list, is invalid; empty: it is valid. An empty list
// counts as an empty text.
Setting checked(Setting row, std::function<std::string(const std::string&)> check);
// Why a path is not a file, or not a folder; empty if it is.
std::string why_no_file(const std::string& path);
std::string why_no_folder(const std::string& path);
// Why a text cannot be the name of a namespace, or of most other objects; empty if it can (RFC
// 1123, as in Kubernetes).
std::string why_no_dns_label(const std::string& name);
std::string why_no_dns_subdomain(const std::string& name);

// "expected a whole number above 0, got "0"".
std::string refuse_value(std::string_view expected, std::string_view got);

// Whether the target can hold the value, whatever the bounds say.
template <class Number, class Stored>
constexpr bool fits([[maybe_unused]] Stored number) {
  if constexpr (std::is_integral_v<Number>) return std::in_range<Number>(number);
  return true;
}

template <class Number>
Setting number_setting(SettingText text, Number& target, Bounds bounds) {
  using Stored = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;
  Setting setting{.text = std::move(text),
                  .expected = bounds.expected,
                  .by_default = static_cast<Stored>(target)};
  setting.apply = [&target, bounds](const Value& value) -> std::string {
    const Stored number = std::get<Stored>(value);
    const auto compared = static_cast<double>(number);
    const bool is_tiny = compared > 0 && compared < bounds.least_above_zero;
    if (compared < bounds.least || compared > bounds.most || is_tiny || !fits<Number>(number)) {
      return refuse_value(bounds.expected, to_text(value));
    }
    target = static_cast<Number>(number);
    return {};
  };
  return setting;
}

// A word and its meaning.
template <class T>
struct Choice {
  std::string word;
  T meaning;
};
std::string join_choices(const Strings& words);  // "a, b or c"

template <class T>
Setting choice_setting(SettingText text, T& target, std::vector<Choice<T>> choices) {
  Setting setting{.text = std::move(text)};
  for (const Choice<T>& choice : choices) {
    setting.choices.push_back(choice.word);
    if (choice.meaning == target) setting.by_default = choice.word;
  }
  setting.expected = join_choices(setting.choices);
  setting.apply = [&target, choices, expected = setting.expected](const Value& value) {
    for (const Choice<T>& choice : choices) {
      if (choice.word != std::get<std::string>(value)) continue;
      target = choice.meaning;
      return std::string();
    }
    return refuse_value(expected, to_text(value));
  };
  return setting;
}

// Adds rows under a heading of the help.
void add_group(Settings& table, std::string_view group, Settings rows);

// The row of that flag, or null. Underscores are accepted for dashes, as in all of Kubernetes.
const Setting* find_flag(std::span<const Setting> table, std::string_view flag);

// The name in `known` that `wrong` is probably a typo of; empty if none.
std::string closest(std::string_view wrong, const Strings& known);

}  // namespace dcm::options
