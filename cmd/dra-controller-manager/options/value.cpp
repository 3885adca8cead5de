#include "cmd/dra-controller-manager/options/value.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dcm::manager {
namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads a text as one type or the other; `like` says which.
struct Parse {
  std::string_view text;
  using Parsed = std::optional<Value>;

  Parsed operator()(bool) const {
    if (text == "true") return true;
    if (text == "false") return false;
    return std::nullopt;
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
      const auto value =
          Parse{std::string_view(part).substr(std::min(equals + 1, part.size()))}(false);
      if (!value || equals == 0) return std::nullopt;
      switches[part.substr(0, equals)] = std::get<bool>(*value);
    }
    return switches;
  }

 private:
  // The parts between commas; empty ones are left out.
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

}  // namespace dcm::manager
