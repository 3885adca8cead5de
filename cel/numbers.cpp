#include "cel/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "cel/ascii.hpp"

namespace dcm::cel {
namespace {

template <typename T>
std::optional<T> parse_whole(std::string_view text, int base) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Underscores stand between digits only; the prefix 0x counts as one. nullopt: somewhere else.
std::optional<std::string> without_underscores(std::string_view text, bool has_prefix) {
  std::string result;
  bool follows_digit = false, follows_underscore = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_underscore = text[i] == '_';
    const bool is_figure = has_prefix ? i < 2 || cel::is_hex(text[i]) : is_digit(text[i]);
    if (is_underscore ? !follows_digit : follows_underscore && !is_figure) return std::nullopt;
    follows_digit = is_figure;
    follows_underscore = is_underscore;
    if (!is_underscore) result += text[i];
  }
  return follows_underscore ? std::nullopt : std::optional(std::move(result));
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
  const bool negative = text.starts_with('-'), has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity"))
    return negative ? -HUGE_VAL : HUGE_VAL;
  if (equals_ignoring_case(text, "nan") && !has_sign) return std::nan("");
  const bool is_hex = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
  const auto plain = without_underscores(text, is_hex);
  if (!plain) return std::nullopt;
  // from_chars does not know the prefix, needs no exponent, and reads words like "inf" and "nan".
  const std::string_view digits = std::string_view(*plain).substr(is_hex ? 2 : 0);
  const std::string_view allowed = is_hex ? "0123456789abcdefABCDEF.pP+-" : "0123456789.eE+-";
  if (digits.empty() || digits[0] == '-' || digits.find_first_not_of(allowed) != digits.npos ||
      (is_hex && digits.find_first_of("pP") == digits.npos))
    return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value,
                      is_hex ? std::chars_format::hex : std::chars_format::general);
  if (end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small a number reads as zero, too large a number is rejected.
    value = std::strtod(plain->c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  } else if (error != std::errc{}) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

}  // namespace dcm::cel
