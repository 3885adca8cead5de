#include "apiserver/text/timestamp.hpp"

#include <charconv>

#include <fmt/compile.h>

namespace dcm::apiserver {

namespace {

// The digits that all of `text` must be; nullopt otherwise.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = !text.empty() && end == text.data() + text.size() && text[0] != '-';
  return failed == std::errc() && whole ? std::optional(value) : std::nullopt;
}

// "Z", "+01:00", "-05:30".
std::optional<std::chrono::minutes> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  if (text.size() != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-')) return {};
  const auto hours = number(text.substr(1, 2));
  const auto minutes = number(text.substr(4, 2));
  if (!hours || !minutes) return {};
  const std::chrono::minutes offset(*hours * 60 + *minutes);
  return text[0] == '-' ? -offset : offset;
}

}  // namespace

std::string timestamp(runtime::WallTime when) {
  const auto second = std::chrono::floor<std::chrono::seconds>(when);
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(second - day);
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z"),
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::optional<runtime::WallTime> parse_timestamp(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  if (text.size() <= kShape.size()) return {};
  std::string_view rest = text.substr(kShape.size());
  if (rest.front() == '.') rest.remove_prefix(std::min(rest.find_first_of("Zz+-"), rest.size()));
  const auto offset = parse_offset(rest);
  const auto year = number(text.substr(0, 4));
  const auto month = number(text.substr(5, 2));
  const auto day = number(text.substr(8, 2));
  const auto hour = number(text.substr(11, 2));
  const auto minute = number(text.substr(14, 2));
  const auto second = number(text.substr(17, 2));
  if (!offset || !year || !month || !day || !hour || !minute || !second) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) - *offset;
}

}  // namespace dcm::apiserver
