#include "cmd/dra-controller-manager/duration.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;

struct Unit {
  std::string_view name;
  Duration value;
};
// A name that begins with another one comes first.
constexpr std::array<Unit, 7> kUnits = {{
    {"ms", 1ms},
    {"us", 1us},
    {"µs", 1us},
    {"ns", 1ns},
    {"h", 1h},
    {"m", 1min},
    {"s", 1s},
}};

// Takes "1.5s" from the front of `text`, as nanoseconds.
std::optional<double> take_part(std::string_view& text) {
  double number = 0;
  if (text.front() != '.' && (text.front() < '0' || text.front() > '9')) return std::nullopt;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return number * static_cast<double>(unit.value.count());
  }
  return std::nullopt;
}

// "0.5s", never with an exponent.
std::string format_seconds(Duration duration) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(duration);
  std::string text = fmt::format("{}.{:09}", whole.count(), (duration - whole).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "s";
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text == "0") return Duration::zero();
  Duration::rep sum = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part || *part >= static_cast<double>(Duration::max().count())) return std::nullopt;
    const auto nanoseconds = static_cast<Duration::rep>(*part + 0.5);
    if (nanoseconds > Duration::max().count() - sum) return std::nullopt;
    sum += nanoseconds;
  }
  return Duration(sum);
}

std::string format_duration(Duration duration) {
  std::string text;
  const auto hours = std::chrono::floor<std::chrono::hours>(duration);
  const auto minutes = std::chrono::floor<std::chrono::minutes>(duration - hours);
  const Duration seconds = duration - hours - minutes;
  if (hours > 0h) text += fmt::format("{}h", hours.count());
  if (minutes > 0min) text += fmt::format("{}m", minutes.count());
  if (seconds > 0s || text.empty()) text += format_seconds(seconds);
  return text;
}

}  // namespace dcm::manager
