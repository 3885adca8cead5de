#include "options/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dcm::options {
namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The words accepted by Go's strconv.ParseBool, and so by every Kubernetes flag.
std::optional<bool> parse_switch(std::string_view text) {
  constexpr std::string_view kOn[] = {"true", "1", "t", "T", "TRUE", "True"};
  constexpr std::string_view kOff[] = {"false", "0", "f", "F", "FALSE", "False"};
  if (std::ranges::find(kOn, text) != std::end(kOn)) return true;
  if (std::ranges::find(kOff, text) != std::end(kOff)) return false;
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Reads a text as one of the types; `like` says which.
struct Parse {
  std::string_view text;
  using Parsed = std::optional<Value>;

  Parsed operator()(bool) const {
    const auto on = parse_switch(text);
    return on ? Parsed(*on) : std::nullopt;
  }
  Parsed operator()(std::int64_t) const {
    const auto number = parse_number<std::int64_t>(text);
    return number ? Parsed(*number) : std::nullopt;
  }
  Parsed operator()(double) const {
    const auto number = parse_number<double>(text);
    return number && std::isfinite(*number) ? Parsed(*number) : std::nullopt;
  }
  Parsed operator()(const std::string&) const { return std::string(text); }
  Parsed operator()(const Strings&) const { return split(); }
  Parsed operator()(const Switches&) const {
    Switches switches;
    for (const std::string& part : split()) {
      const std::size_t equals = std::min(part.find('='), part.size());
      const std::string_view name = trimmed(std::string_view(part).substr(0, equals));
      const auto on =
          parse_switch(trimmed(std::string_view(part).substr(std::min(equals + 1, part.size()))));
      if (!on || name.empty()) return std::nullopt;
      switches[std::string(name)] = *on;
    }
    return switches;
  }

 private:
  // The parts between commas, without empty ones.
  Strings split() const {
    Strings parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return parts;
  }
};

struct ToText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Strings& value) const {
    return fmt::format("{}", fmt::join(value, ","));
  }
  std::string operator()(const Switches& value) const {
    Strings parts;
    for (const auto& [name, on] : value) parts.push_back(fmt::format("{}={}", name, on));
    return fmt::format("{}", fmt::join(parts, ","));
  }
};

}  // namespace

std::optional<Value> parse_value(const Value& like, std::string_view text) {
  return std::visit(Parse{text}, like);
}

std::string to_text(const Value& value) {
  return std::visit(ToText(), value);
}

std::string_view type_of(const Value& value) {
  constexpr std::string_view kTypes[] = {"true or false",     "a whole number",
                                         "a number",          "a string",
                                         "a list of strings", "names with true or false each"};
  static_assert(std::size(kTypes) == std::variant_size_v<Value>);
  return kTypes[value.index()];
}

Value overlay(const Value& below, const Value& given) {
  const auto* const upper = std::get_if<Switches>(&given);
  const auto* const lower = std::get_if<Switches>(&below);
  if (upper == nullptr || lower == nullptr) return given;
  Switches both = *upper;
  both.insert(lower->begin(), lower->end());
  return both;
}

namespace {

using namespace std::chrono_literals;
using runtime::Duration;

struct Unit {
  std::string_view name;
  Duration value;
};
// A name that is a prefix of another one comes first.
constexpr std::array<Unit, 7> kUnits = {{
    {"ms", 1ms},
    {"us", 1us},
    {"µs", 1us},
    {"ns", 1ns},
    {"h", 1h},
    {"m", 1min},
    {"s", 1s},
}};

// Consumes "1.5s" from the front of `text`, in nanoseconds.
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

}  // namespace dcm::options
