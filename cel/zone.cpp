#include "cel/zone.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "cel/ascii.hpp"

namespace dcm::cel {
namespace {

constexpr std::size_t kKeptMax = 64;
constexpr std::size_t kFileMax = 1 << 20;
constexpr std::int64_t kDay = 86'400;

// "M3.2.0/2": a day of the year, and the second of that day.
struct Change {
  int month = 0, week = 0, weekday = 0;
  std::int64_t time = 7'200;
};

// What applies after the last transition: "EST5EDT,M3.2.0,M11.1.0".
struct Rule {
  std::int64_t standard = 0, summer = 0;
  bool has_summer = false;
  Change start, end;
};

struct Zone {
  std::vector<std::int64_t> transitions;
  std::vector<std::int64_t> offsets;  // one more: before the first transition
  std::optional<Rule> rule;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::int64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const auto bytes = take(size);
    for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
    if (size == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    return static_cast<std::int64_t>(value);
  }
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) failed_ = true;
    const auto part = rest_.substr(0, size);
    rest_.remove_prefix(part.size());
    return part;
  }
  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

void skip_name(std::string_view& text) {
  const auto end =
      text.starts_with('<')
          ? text.find('>') + 1
          : text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  text.remove_prefix(std::min(end, text.size()));
}

std::int64_t take_time(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t total = 0, unit = 3'600;
  for (; unit > 0; unit /= 60) {
    std::int64_t value = 0;
    while (!text.empty() && is_digit(text[0])) {
      value = std::min<std::int64_t>(value * 10 + (text[0] - '0'), 1000);
      text.remove_prefix(1);
    }
    total += value * unit;
    if (!text.starts_with(':')) break;
    text.remove_prefix(1);
  }
  return negative ? -total : total;
}

std::optional<Change> take_change(std::string_view& text) {
  if (!text.starts_with(",M")) return std::nullopt;
  text.remove_prefix(2);
  Change change;
  for (int* part : {&change.month, &change.week, &change.weekday}) {
    while (!text.empty() && is_digit(text[0])) {
      *part = std::min(*part * 10 + (text[0] - '0'), 99);
      text.remove_prefix(1);
    }
    if (text.starts_with('.')) text.remove_prefix(1);
  }
  if (text.starts_with('/')) {
    text.remove_prefix(1);
    change.time = take_time(text);
  }
  const bool is_valid = change.month >= 1 && change.month <= 12 && change.week >= 1 &&
                        change.week <= 5 && change.weekday <= 6;
  return is_valid ? std::optional(change) : std::nullopt;
}

std::optional<Rule> parse_rule(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Rule rule;
  skip_name(text);
  rule.standard = -take_time(text);
  if (text.empty()) return rule;
  skip_name(text);
  rule.summer = text.empty() || text[0] == ',' ? rule.standard + 3'600 : -take_time(text);
  const auto start = take_change(text), end = take_change(text);
  if (!start || !end) return std::nullopt;
  rule.has_summer = true;
  rule.start = *start;
  rule.end = *end;
  return rule;
}

// The local time of a change in that year, in seconds since the epoch.
std::int64_t time_of(const Change& change, std::chrono::year year) {
  using namespace std::chrono;
  const weekday day(static_cast<unsigned>(change.weekday));
  const std::chrono::month month(static_cast<unsigned>(change.month));
  const sys_days date = change.week == 5
                            ? sys_days(year / month / day[last])
                            : sys_days(year / month / day[static_cast<unsigned>(change.week)]);
  return date.time_since_epoch().count() * kDay + change.time;
}

std::int64_t offset_by(const Rule& rule, std::int64_t seconds) {
  if (!rule.has_summer) return rule.standard;
  const auto day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(seconds + rule.standard)));
  const auto year = std::chrono::year_month_day(day).year();
  const auto start = time_of(rule.start, year) - rule.standard,
             end = time_of(rule.end, year) - rule.summer;
  const bool is_summer =
      start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
  return is_summer ? rule.summer : rule.standard;
}

std::optional<Zone> parse_zone(std::string_view bytes) {
  Reader reader(bytes);
  constexpr std::size_t kHeader = 20;
  if (reader.take(4) != "TZif") return std::nullopt;
  const auto counts = [&] {
    reader.take(kHeader - 4);
    std::vector<std::size_t> result;  // ut, std, leap, transitions, types, characters
    for (int i = 0; i < 6; ++i) result.push_back(static_cast<std::uint32_t>(reader.number(4)));
    return result;
  };
  auto count = counts();
  if (std::ranges::max(count) > kFileMax) return std::nullopt;
  // The first block has 32-bit times; the second one, with 64 bits, has a header of its own.
  reader.take(count[3] * 5 + count[4] * 6 + count[5] + count[2] * 8 + count[1] + count[0]);
  if (reader.take(4) != "TZif") return std::nullopt;
  count = counts();
  if (std::ranges::max(count) > kFileMax) return std::nullopt;
  Zone zone;
  for (std::size_t i = 0; i < count[3]; ++i) zone.transitions.push_back(reader.number(8));
  const auto kinds = reader.take(count[3]);
  std::vector<std::int64_t> offsets;
  std::int64_t first = 0;
  bool has_first = false;
  for (std::size_t i = 0; i < count[4]; ++i) {
    offsets.push_back(reader.number(4));
    const bool is_summer = reader.take(2).starts_with('\1');
    if (!has_first && !is_summer) {
      first = offsets.back();
      has_first = true;
    }
  }
  reader.take(count[5] + count[2] * 12 + count[1] + count[0]);
  if (reader.failed() || offsets.empty()) return std::nullopt;
  zone.offsets.push_back(first);
  for (const char kind : kinds) {
    const auto index = static_cast<unsigned char>(kind);
    if (index >= offsets.size()) return std::nullopt;
    zone.offsets.push_back(offsets[index]);
  }
  std::string_view footer = reader.rest();
  if (footer.starts_with('\n')) footer.remove_prefix(1);
  zone.rule = parse_rule(footer.substr(0, footer.find('\n')));
  return zone;
}

std::optional<Zone> read_zone(std::string_view name) {
  // Never leaves the database's folder.
  if (name.empty() || name.size() > 64 || name.contains("..") || name.contains('\\') ||
      name[0] == '/' || name.contains('\0'))
    return std::nullopt;
  std::ifstream file("/usr/share/zoneinfo/" + std::string(name), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || bytes.size() > kFileMax) return std::nullopt;
  return parse_zone(bytes);
}

}  // namespace

std::optional<std::int64_t> offset_of_zone(std::string_view name, std::int64_t seconds) {
  if (name.empty() || name == "UTC" || name == "Local") return 0;
  static std::map<std::string, std::optional<Zone>, std::less<>> known;
  auto found = known.find(name);
  if (found == known.end()) {
    if (known.size() == kKeptMax) known.clear();
    found = known.emplace(std::string(name), read_zone(name)).first;
  }
  if (!found->second) return std::nullopt;
  const Zone& zone = *found->second;
  const auto next = std::ranges::upper_bound(zone.transitions, seconds);
  if (next == zone.transitions.end() && zone.rule) return offset_by(*zone.rule, seconds);
  return zone.offsets[static_cast<std::size_t>(next - zone.transitions.begin())];
}

}  // namespace dcm::cel
