#include "options/setting.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/value.hpp"
#include "runtime/ascii.hpp"
#include "runtime/dns_names.hpp"

namespace dcm::options {
namespace {

// A row that stores any value of its type.
template <class T>
Setting plain_setting(SettingText text, T& target) {
  Setting setting{.text = std::move(text), .by_default = target};
  setting.expected = type_of(setting.by_default);
  setting.apply = [&target](const Value& value) {
    target = std::get<T>(value);
    return std::string();
  };
  return setting;
}

// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
// (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

}  // namespace

Setting switch_setting(SettingText text, bool& target) {
  return plain_setting(std::move(text), target);
}

Setting text_setting(SettingText text, std::string& target) {
  return plain_setting(std::move(text), target);
}

Setting name_setting(SettingText text, std::string& target) {
  Setting setting = plain_setting(std::move(text), target);
  setting.apply = [&target](const Value& value) -> std::string {
    if (std::get<std::string>(value).empty()) return "must not be empty";
    target = std::get<std::string>(value);
    return {};
  };
  return setting;
}

Setting list_setting(SettingText text, Strings& target) {
  return plain_setting(std::move(text), target);
}

Setting switches_setting(SettingText text, Switches& target) {
  Setting setting = plain_setting(std::move(text), target);
  setting.expected = "NAME=true or NAME=false";
  return setting;
}

Setting duration_setting(SettingText text, runtime::Duration& target, runtime::Duration least) {
  const std::string range = least > runtime::Duration(1)
                                ? fmt::format("of at least {}", format_duration(least))
                                : "above 0";
  Setting setting{
      .text = std::move(text),
      .expected = fmt::format("a duration {} and up to 2562047h, like 15s or 1m30s", range),
      .by_default = format_duration(target)};
  setting.apply = [&target, least, expected = setting.expected](const Value& value) {
    const auto duration = parse_duration(std::get<std::string>(value));
    if (!duration || *duration < least) {
      return refuse_value(expected, to_text(value));
    }
    target = *duration;
    return std::string();
  };
  return setting;
}

Setting numbers_setting(SettingText text, std::vector<std::size_t>& target) {
  Setting setting{.text = std::move(text),
                  .expected = "whole numbers of at least 0, separated by commas",
                  .by_default = Strings()};
  for (const std::size_t number : target) {
    std::get<Strings>(setting.by_default).push_back(fmt::format("{}", number));
  }
  setting.apply = [&target, expected = setting.expected](const Value& value) {
    std::vector<std::size_t> numbers;
    for (const std::string& word : std::get<Strings>(value)) {
      const auto number = parse_value(std::int64_t{0}, word);
      if (!number || std::get<std::int64_t>(*number) < 0) {
        return refuse_value(expected, word);
      }
      numbers.push_back(static_cast<std::size_t>(std::get<std::int64_t>(*number)));
    }
    target = std::move(numbers);
    return std::string();
  };
  return setting;
}

Setting required(Setting row) {
  row.is_required = true;
  return row;
}

Setting excluding(Setting row, Strings flags) {
  row.excludes = std::move(flags);
  return row;
}

Setting checked(Setting row, std::function<std::string(const std::string&)> check) {
  row.apply = [check = std::move(check), apply = std::move(row.apply)](const Value& value) {
    const auto* const list = std::get_if<Strings>(&value);
    const bool has_parts = list != nullptr && !list->empty();
    for (const std::string& text : has_parts ? *list : Strings{to_text(value)}) {
      if (std::string why = check(text); !why.empty()) return why;
    }
    return apply(value);
  };
  return row;
}

std::string why_no_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool is_file = std::filesystem::exists(status) && !std::filesystem::is_directory(status);
  return is_file ? "" : fmt::format("there is no file \"{}\"", path);
}

std::string why_no_folder(const std::string& path) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  return is_folder ? "" : fmt::format("there is no folder \"{}\"", path);
}

std::string why_no_dns_label(const std::string& name) {
  if (runtime::can_be_label(name)) return {};
  return refuse_value("a DNS label: at most 63 lowercase letters, digits and '-'", name);
}

std::string why_no_dns_subdomain(const std::string& name) {
  if (runtime::can_be_name(name)) return {};
  return refuse_value("a DNS subdomain: at most 253 lowercase letters, digits, '-' and '.'", name);
}

std::string refuse_value(std::string_view expected, std::string_view got) {
  return fmt::format("expected {}, got \"{}\"", expected, got);
}

std::string join_choices(const Strings& words) {
  const std::size_t last = words.size() - 1;
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words[last]);
}

void add_group(Settings& table, std::string_view group, Settings rows) {
  for (Setting& row : rows) row.group = group;
  table.insert(table.end(), std::move_iterator(rows.begin()), std::move_iterator(rows.end()));
}

const Setting* find_flag(std::span<const Setting> table, std::string_view flag) {
  const auto same = [](char a, char b) { return a == b || (a == '_' && b == '-'); };
  for (const Setting& row : table) {
    const bool is_it = std::ranges::equal(flag, row.text.flag, same) ||
                       (!flag.empty() && std::ranges::equal(flag, row.text.alias, same));
    if (is_it) return &row;
  }
  return nullptr;
}

std::string closest(std::string_view wrong, const Strings& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(wrong.size() / 4, 2) + 1;
  const std::string lowered = runtime::lower(wrong);
  for (const std::string& name : known) {
    const auto [shorter, longer] = std::minmax({wrong.size(), name.size()});
    const std::size_t apart_at_least = longer - shorter;
    if (apart_at_least >= best_distance) continue;
    const std::size_t apart = distance(lowered, runtime::lower(name));
    if (apart >= best_distance || apart >= name.size()) continue;
    best_distance = apart;
    best = name;
  }
  return best;
}

}  // namespace dcm::options
