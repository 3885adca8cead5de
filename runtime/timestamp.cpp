#include "runtime/timestamp.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <fmt/compile.h>

namespace dcm::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

// Reads a text from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // Exactly `digits` digits; nullopt once anything was missing.
  std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    const char* const end = rest_.data() + digits;
    const auto [stop, code] = std::from_chars(rest_.data(), end, value);
    if (code != std::errc() || stop != end || value < 0) return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }
  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool skip_either(char a, char b) { return skip(a) || skip(b); }
  // Zero if there is none; nullopt for a dot without digits.
  std::optional<microseconds> fraction() {
    if (!skip('.')) return microseconds::zero();
    const auto length = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (length == 0) return std::nullopt;
    microseconds value = microseconds::zero();
    microseconds unit = std::chrono::milliseconds(100);
    for (const char digit : rest_.substr(0, length)) {
      value += unit * (digit - '0');
      unit /= 10;
    }
    rest_.remove_prefix(length);
    return value;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<std::chrono::sys_days> scan_date(Scanner& scanner) {
  const auto year = scanner.number(4);
  if (!year || !scanner.skip('-')) return std::nullopt;
  const auto month = scanner.number(2);
  if (!month || !scanner.skip('-')) return std::nullopt;
  const auto day = scanner.number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<microseconds> scan_clock(Scanner& scanner) {
  const auto hour = scanner.number(2);
  if (!hour || *hour > 23 || !scanner.skip(':')) return std::nullopt;
  const auto minute = scanner.number(2);
  if (!minute || *minute > 59 || !scanner.skip(':')) return std::nullopt;
  const auto second = scanner.number(2);
  if (!second || *second > 60) return std::nullopt;
  const auto fraction = scanner.fraction();
  if (!fraction) return std::nullopt;
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + seconds(*second) + *fraction;
}

// The offset to subtract to get UTC.
std::optional<seconds> scan_offset(Scanner& scanner) {
  if (scanner.skip_either('Z', 'z')) return seconds::zero();
  const int sign = scanner.skip('-') ? -1 : 1;
  if (sign > 0 && !scanner.skip('+')) return std::nullopt;
  const auto hours = scanner.number(2);
  if (!hours || *hours > 23 || !scanner.skip(':')) return std::nullopt;
  const auto minutes = scanner.number(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return sign * (std::chrono::hours(*hours) + std::chrono::minutes(*minutes));
}

WallTime clamp(std::chrono::sys_time<microseconds> time) {
  if (time >= std::chrono::floor<seconds>(WallTime::max())) return WallTime::max();
  if (time <= std::chrono::ceil<seconds>(WallTime::min())) return WallTime::min();
  return time;
}

}  // namespace

std::string timestamp(WallTime time) {
  const auto whole = std::chrono::floor<seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(whole);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(whole - day);
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z"),
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string micro_timestamp(WallTime time) {
  // Not by floor<seconds>(time), which is out of range for the earliest time.
  const auto all = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  const auto micros = (all % seconds(1) + seconds(1)) % seconds(1);
  std::string text = timestamp(time);
  text.pop_back();
  return fmt::format("{}.{:06}Z", text, micros.count());
}

std::optional<WallTime> parse_timestamp(std::string_view text) {
  const auto time = parse_micro_timestamp(text);
  if (!time || *time == WallTime::max() || *time == WallTime::min()) return time;
  return std::chrono::floor<seconds>(*time);
}

std::optional<WallTime> parse_micro_timestamp(std::string_view text) {
  Scanner scanner(text);
  const auto date = scan_date(scanner);
  if (!date || !scanner.skip_either('T', 't')) return std::nullopt;
  const auto clock = scan_clock(scanner);
  if (!clock) return std::nullopt;
  const auto offset = scan_offset(scanner);
  if (!offset || !scanner.at_end()) return std::nullopt;
  return clamp(*date + *clock - *offset);
}

WallTime time_of_seconds(std::int64_t count) {
  // Limited to calendar years, so that no arithmetic overflows.
  constexpr std::int64_t kMost = 1'000'000'000'000;
  return clamp(std::chrono::sys_time<seconds>(seconds(std::clamp(count, -kMost, kMost))));
}

std::chrono::seconds bounded_seconds(std::int64_t count) {
  constexpr std::int64_t kCentury = 3'155'760'000;
  return seconds(std::clamp(count, -kCentury, kCentury));
}

}  // namespace dcm::runtime
