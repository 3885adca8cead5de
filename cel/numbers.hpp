// CEL numbers: conversions that can fail, and formatting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dcm::cel {

inline constexpr double kLeastInteger = -9223372036854775808.0;
inline constexpr double kBeyondInteger = 9223372036854775808.0;
inline constexpr double kBeyondUnsigned = 18446744073709551616.0;

// Truncates; nullopt if out of range or not a number.
inline std::optional<std::int64_t> to_integer(double value) {
  if (!(value > kLeastInteger && value < kBeyondInteger)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

inline std::optional<std::uint64_t> to_unsigned(double value) {
  if (!(value >= 0 && value < kBeyondUnsigned)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// The shortest text that reads back as the same number: "1e+100", "0.1", "NaN", "+Inf".
std::string text_of_real(double value);

std::optional<std::int64_t> parse_integer(std::string_view text, int base = 10);
std::optional<std::uint64_t> parse_unsigned(std::string_view text, int base = 10);
// "1e3", "1_000", "0x1p-2", "inf".
std::optional<double> parse_real(std::string_view text);

}  // namespace dcm::cel
