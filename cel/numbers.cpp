#include "cel/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace dcm::cel {
namespace {

template <typename T>
std::optional<T> parse_whole(std::string_view text, int base) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == y; });
}

}  // namespace

std::string text_of_real(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  // The exponent determines the notation: without an exponent from -4 to 5.
  char scientific[40];
  const auto end = std::to_chars(scientific, scientific + sizeof scientific, value,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(scientific, static_cast<std::size_t>(end - scientific));
  const auto exponent = parse_integer(text.substr(text.find('e') + 1)).value_or(0);
  if (exponent < -4 || exponent >= 6) return std::string(text);
  char fixed[400];
  return {fixed, std::to_chars(fixed, fixed + sizeof fixed, value, std::chars_format::fixed).ptr};
}

std::optional<std::int64_t> parse_integer(std::string_view text, int base) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  return parse_whole<std::int64_t>(text, base);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, int base) {
  return parse_whole<std::uint64_t>(text, base);
}

std::optional<double> parse_real(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity"))
    return negative ? -HUGE_VAL : HUGE_VAL;
  if (equals_ignoring_case(text, "nan")) return std::nan("");
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != text.npos || text[0] == '-')
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small a number reads as zero, too large a number is rejected.
    const std::string copy(text);
    value = std::strtod(copy.c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  } else if (error != std::errc{}) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

}  // namespace dcm::cel
