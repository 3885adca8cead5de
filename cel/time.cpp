#include "cel/time.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cel/ascii.hpp"
#include "cel/library.hpp"
#include "cel/numbers.hpp"
#include "cel/text.hpp"
#include "cel/zone.hpp"

namespace dcm::cel {
namespace {

using std::chrono::sys_days;

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kLeast = -62'135'596'800;     // 0001-01-01T00:00:00Z
constexpr std::int64_t kGreatest = 253'402'300'799;  // 9999-12-31T23:59:59Z

constexpr std::string_view kTimestampOverflow = "timestamp overflow";
constexpr std::string_view kDurationOverflow = "integer overflow";

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr Unit kUnits[] = {{"ns", 1},
                           {"us", 1'000},
                           {"µs", 1'000},  // U+00B5
                           {"μs", 1'000},  // U+03BC
                           {"ms", 1'000'000},
                           {"s", kNanosecondsPerSecond},
                           {"m", 60 * kNanosecondsPerSecond},
                           {"h", 3'600 * kNanosecondsPerSecond}};

// "1.5h" of a duration; advances. nullopt if malformed or too large.
std::optional<std::uint64_t> take_part(std::string_view& text) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63;
  std::uint64_t whole = 0, fraction = 0;
  double scale = 1;
  bool has_digits = false;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    has_digits = true;
    if (whole > kMax / 10) return std::nullopt;
    whole = whole * 10 + static_cast<std::uint64_t>(text[0] - '0');
    if (whole > kMax) return std::nullopt;
  }
  if (text.starts_with('.')) {
    bool is_full = false;
    for (text.remove_prefix(1); !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
      has_digits = true;
      if (is_full || fraction > (kMax - 10) / 10) {
        is_full = true;
        continue;
      }
      fraction = fraction * 10 + static_cast<std::uint64_t>(text[0] - '0');
      scale *= 10;
    }
  }
  if (!has_digits) return std::nullopt;
  std::size_t size = 0;
  while (size < text.size() && text[size] != '.' && !is_digit(text[size])) ++size;
  for (const Unit& unit : kUnits) {
    if (unit.name != text.substr(0, size)) continue;
    text.remove_prefix(size);
    const auto factor = static_cast<std::uint64_t>(unit.nanoseconds);
    if (whole > kMax / factor) return std::nullopt;
    const auto value =
        whole * factor + static_cast<std::uint64_t>(static_cast<double>(fraction) *
                                                    (static_cast<double>(factor) / scale));
    return value > kMax ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Local time of a time zone.
struct Local {
  std::chrono::year_month_day date;
  std::int64_t second_of_day;
};

Local local_of(std::int64_t seconds) {
  std::int64_t day = seconds / kDay, rest = seconds % kDay;
  if (rest < 0) {
    --day;
    rest += kDay;
  }
  return {std::chrono::year_month_day(sys_days(std::chrono::days(day))), rest};
}

// "+02:00", "-8:30", "Europe/Vienna". As in cel-go, minutes may exceed 59. The error is a value.
Value offset_at(std::string_view zone, std::int64_t seconds, Arena& arena) {
  const auto colon = zone.find(':');
  if (colon == zone.npos) {
    const auto offset = offset_of_zone(zone, seconds);
    return offset ? Value::integer(*offset) : make_error(arena, "unknown time zone ", zone);
  }
  std::int64_t parts[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto text = i == 0 ? zone.substr(0, colon) : zone.substr(colon + 1);
    constexpr std::int64_t kMax = 10'000'000;
    const auto part = parse_integer(text);
    if (!part || *part > kMax || *part < -kMax)
      return make_error(arena, "strconv.Atoi: parsing ", quoted(text), ": invalid syntax");
    parts[i] = *part;
  }
  return Value::integer((parts[0] * 60 + (zone.starts_with('-') ? -parts[1] : parts[1])) * 60);
}

using Field = std::int64_t (*)(const Local& local, std::uint32_t nanoseconds);

std::int64_t year(const Local& l, std::uint32_t) {
  return static_cast<int>(l.date.year());
}
std::int64_t month(const Local& l, std::uint32_t) {
  return static_cast<unsigned>(l.date.month()) - 1;
}
std::int64_t date(const Local& l, std::uint32_t) {
  return static_cast<unsigned>(l.date.day());
}
std::int64_t day_of_month(const Local& l, std::uint32_t) {
  return date(l, 0) - 1;
}
std::int64_t day_of_week(const Local& l, std::uint32_t) {
  return std::chrono::weekday(sys_days(l.date)).c_encoding();
}
std::int64_t day_of_year(const Local& l, std::uint32_t) {
  using namespace std::chrono;
  return (sys_days(l.date) - sys_days(l.date.year() / January / 1)).count();
}
std::int64_t hours(const Local& l, std::uint32_t) {
  return l.second_of_day / 3'600;
}
std::int64_t minutes(const Local& l, std::uint32_t) {
  return l.second_of_day / 60 % 60;
}
std::int64_t seconds(const Local& l, std::uint32_t) {
  return l.second_of_day % 60;
}
std::int64_t milliseconds(const Local&, std::uint32_t nanoseconds) {
  return nanoseconds / 1'000'000;
}

template <Field kField>
Value get(std::span<const Value> args, Frame&) {
  return Value::integer(kField(local_of(args[0].as_integer()), args[0].nanoseconds()));
}

template <Field kField>
Value get_in_zone(std::span<const Value> args, Frame& frame) {
  const Value offset = offset_at(args[1].as_text(), args[0].as_integer(), frame.arena);
  if (offset.is_error()) return offset;
  return Value::integer(
      kField(local_of(args[0].as_integer() + offset.as_integer()), args[0].nanoseconds()));
}

template <std::int64_t kUnit>
Value get_of_duration(std::span<const Value> args, Frame&) {
  return Value::integer(args[0].as_integer() / kUnit);
}

Value add_to_timestamp(const Value& timestamp, std::int64_t nanoseconds) {
  std::int64_t total = timestamp.nanoseconds() + nanoseconds % kNanosecondsPerSecond;
  std::int64_t whole = timestamp.as_integer() + nanoseconds / kNanosecondsPerSecond;
  if (total < 0) {
    total += kNanosecondsPerSecond;
    --whole;
  } else if (total >= kNanosecondsPerSecond) {
    total -= kNanosecondsPerSecond;
    ++whole;
  }
  if (!is_timestamp(whole)) return Value::error(kTimestampOverflow);
  return Value::timestamp(whole, static_cast<std::uint32_t>(total), timestamp.zone());
}

Value add_durations(std::span<const Value> args, Frame&) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(args[0].as_integer(), args[1].as_integer(), &sum))
    return Value::error(kDurationOverflow);
  return Value::duration(sum);
}

Value add_duration_timestamp(std::span<const Value> args, Frame&) {
  return add_to_timestamp(args[1], args[0].as_integer());
}

Value add_timestamp_duration(std::span<const Value> args, Frame&) {
  return add_to_timestamp(args[0], args[1].as_integer());
}

Value subtract_durations(std::span<const Value> args, Frame&) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(args[0].as_integer(), args[1].as_integer(), &difference))
    return Value::error(kDurationOverflow);
  return Value::duration(difference);
}

Value subtract_duration(std::span<const Value> args, Frame&) {
  if (args[1].as_integer() == INT64_MIN) return Value::error(kTimestampOverflow);
  return add_to_timestamp(args[0], -args[1].as_integer());
}

Value subtract_timestamps(std::span<const Value> args, Frame&) {
  std::int64_t nanoseconds = 0;
  const auto whole = args[0].as_integer() - args[1].as_integer();
  const auto rest = static_cast<std::int64_t>(args[0].nanoseconds()) - args[1].nanoseconds();
  if (__builtin_mul_overflow(whole, kNanosecondsPerSecond, &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, rest, &nanoseconds))
    return Value::error(kDurationOverflow);
  return Value::duration(nanoseconds);
}

constexpr std::int64_t kMillisecond = 1'000'000;

constexpr FunctionRow kRows[] = {
    {"_+_(duration, duration) duration", add_durations},
    {"_+_(duration, timestamp) timestamp", add_duration_timestamp},
    {"_+_(timestamp, duration) timestamp", add_timestamp_duration},
    {"_-_(duration, duration) duration", subtract_durations},
    {"_-_(timestamp, duration) timestamp", subtract_duration},
    {"_-_(timestamp, timestamp) duration", subtract_timestamps},
    {"getFullYear(timestamp;) int", get<year>},
    {"getFullYear(timestamp; string) int", get_in_zone<year>},
    {"getMonth(timestamp;) int", get<month>},
    {"getMonth(timestamp; string) int", get_in_zone<month>},
    {"getDayOfYear(timestamp;) int", get<day_of_year>},
    {"getDayOfYear(timestamp; string) int", get_in_zone<day_of_year>},
    {"getDayOfMonth(timestamp;) int", get<day_of_month>},
    {"getDayOfMonth(timestamp; string) int", get_in_zone<day_of_month>},
    {"getDate(timestamp;) int", get<date>},
    {"getDate(timestamp; string) int", get_in_zone<date>},
    {"getDayOfWeek(timestamp;) int", get<day_of_week>},
    {"getDayOfWeek(timestamp; string) int", get_in_zone<day_of_week>},
    {"getHours(timestamp;) int", get<hours>},
    {"getHours(timestamp; string) int", get_in_zone<hours>},
    {"getHours(duration;) int", get_of_duration<3'600 * kNanosecondsPerSecond>},
    {"getMinutes(timestamp;) int", get<minutes>},
    {"getMinutes(timestamp; string) int", get_in_zone<minutes>},
    {"getMinutes(duration;) int", get_of_duration<60 * kNanosecondsPerSecond>},
    {"getSeconds(timestamp;) int", get<seconds>},
    {"getSeconds(timestamp; string) int", get_in_zone<seconds>},
    {"getSeconds(duration;) int", get_of_duration<kNanosecondsPerSecond>},
    {"getMilliseconds(timestamp;) int", get<milliseconds>},
    {"getMilliseconds(timestamp; string) int", get_in_zone<milliseconds>},
    {"getMilliseconds(duration;) int", get_of_duration<kMillisecond>},
};

}  // namespace

std::span<const FunctionRow> time_functions() {
  return kRows;
}

bool is_timestamp(std::int64_t seconds) {
  return seconds >= kLeast && seconds <= kGreatest;
}

std::optional<Value> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Value::duration(0);
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return std::nullopt;
    total += *part;
    if (total > (std::uint64_t{1} << 63)) return std::nullopt;
  }
  if (negative) return Value::duration(static_cast<std::int64_t>(0 - total));
  if (total > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return Value::duration(static_cast<std::int64_t>(total));
}

std::string text_of_duration(std::int64_t nanoseconds) {
  const auto whole = nanoseconds / kNanosecondsPerSecond,
             rest = nanoseconds % kNanosecondsPerSecond;
  const double value = static_cast<double>(whole) + static_cast<double>(rest) / 1e9;
  char text[64];
  return std::string(text,
                     std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr) +
         "s";
}

std::optional<Value> parse_timestamp(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || !take(text, 'T')) return std::nullopt;
  auto hour = take_number(text, 2);
  if (!hour) hour = take_number(text, 1);  // as in Go
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  std::uint32_t nanoseconds = 0;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    std::uint32_t unit = 100'000'000;
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), unit /= 10)
      nanoseconds += static_cast<std::uint32_t>(text[0] - '0') * unit;
  }
  int offset = 0;  // minutes
  if (!take(text, 'Z')) {
    const bool is_west = text.starts_with('-');
    if (!take(text, '+') && !take(text, '-')) return std::nullopt;
    const auto hours = take_number(text, 2);
    if (!hours || *hours > 24 || !take(text, ':')) return std::nullopt;
    const auto minutes = take_number(text, 2);
    if (!minutes || *minutes > 60) return std::nullopt;
    offset = (*hours * 60 + *minutes) * (is_west ? -1 : 1);
  }
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!text.empty() || !date.ok()) return std::nullopt;
  const auto days = sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * kDay + *hour * 3'600 + (*minute - offset) * 60 + *second;
  if (!is_timestamp(seconds)) return std::nullopt;
  return Value::timestamp(seconds, nanoseconds, static_cast<std::int16_t>(offset));
}

std::string text_of_timestamp(const Value& timestamp) {
  const int offset = timestamp.zone();
  const Local local = local_of(timestamp.as_integer() + offset * 60);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d",
                static_cast<int>(local.date.year()), static_cast<unsigned>(local.date.month()),
                static_cast<unsigned>(local.date.day()), static_cast<int>(hours(local, 0)),
                static_cast<int>(minutes(local, 0)), static_cast<int>(seconds(local, 0)));
  std::string result = text;
  if (timestamp.nanoseconds() != 0) {
    std::snprintf(text, sizeof text, ".%09u", timestamp.nanoseconds());
    result += text;
    result.erase(result.find_last_not_of('0') + 1);
  }
  if (offset == 0) return result + "Z";
  std::snprintf(text, sizeof text, "%c%02d:%02d", offset < 0 ? '-' : '+', std::abs(offset) / 60,
                std::abs(offset) % 60);
  return result + text;
}

}  // namespace dcm::cel
