#include "apiserver/rules/cron_schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <expected>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

template <class T>
using Parsed = std::expected<T, std::string>;

struct Field {
  std::uint64_t least;
  std::uint64_t most;
  std::span<const std::string_view> names = {};  // the first means `least`
};

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr Field kFields[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12, kMonths}, {0, 6, kDays}};
constexpr std::string_view kDescriptors[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                             "@daily",  "@midnight", "@hourly"};
constexpr std::string_view kEvery = "@every ";

bool is_any(std::string_view text) {
  return text == "*" || text == "?";
}

Parsed<std::uint64_t> parse_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t number = 0;
  const auto end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || at != end) {
    const bool is_too_large = error == std::errc::result_out_of_range;
    return std::unexpected(
        fmt::format("failed to parse int from {}: strconv.Atoi: parsing \"{}\": {}", text, text,
                    is_too_large ? "value out of range" : "invalid syntax"));
  }
  if (number < 0) {
    return std::unexpected(fmt::format("negative number ({}) not allowed: {}", number, text));
  }
  return static_cast<std::uint64_t>(number);
}

Parsed<std::uint64_t> parse_value(std::string_view text, const Field& field) {
  const auto name = std::ranges::find(field.names, lower(text));
  if (name == field.names.end()) return parse_number(text);
  return field.least + static_cast<std::uint64_t>(name - field.names.begin());
}

// "*/5", "1-3", "mon".
std::optional<std::string> problem_with_range(std::string_view text, const Field& field) {
  const auto parts = split(text, '/');
  const auto ends = split(parts.front(), '-');
  Parsed<std::uint64_t> first = field.least;
  Parsed<std::uint64_t> last = field.most;
  if (!is_any(ends.front())) {
    first = parse_value(ends.front(), field);
    if (!first) return first.error();
    if (ends.size() > 2) return fmt::format("too many hyphens: {}", text);
    last = ends.size() == 2 ? parse_value(ends[1], field) : first;
    if (!last) return last.error();
  }
  if (parts.size() > 2) return fmt::format("too many slashes: {}", text);
  if (parts.size() == 2) {
    const auto step = parse_number(parts[1]);
    if (!step) return step.error();
    if (ends.size() == 1) last = field.most;
    if (*step == 0) return fmt::format("step of range should be a positive number: {}", text);
  }
  if (*first < field.least) {
    return fmt::format("beginning of range ({}) below minimum ({}): {}", *first, field.least, text);
  }
  if (*last > field.most) {
    return fmt::format("end of range ({}) above maximum ({}): {}", *last, field.most, text);
  }
  if (*first > *last) {
    return fmt::format("beginning of range ({}) beyond end of range ({}): {}", *first, *last, text);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> problem_with_schedule(std::string_view schedule) {
  if (schedule.starts_with('@')) {
    const bool is_known = std::ranges::find(kDescriptors, schedule) != std::end(kDescriptors);
    if (is_known || schedule.starts_with(kEvery)) return std::nullopt;
    return fmt::format("unrecognized descriptor: {}", schedule);
  }
  const auto fields = apiserver::fields(schedule);
  if (fields.size() != std::size(kFields)) {
    return fmt::format("expected exactly {} fields, found {}: [{}]", std::size(kFields),
                       fields.size(), fmt::join(fields, " "));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto ranges = split(fields[i], ',');
    std::erase(ranges, std::string_view());
    for (const std::string_view range : ranges) {
      if (auto problem = problem_with_range(range, kFields[i])) return problem;
    }
  }
  return std::nullopt;
}

}  // namespace dcm::apiserver
