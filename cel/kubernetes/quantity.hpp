// Quantities of the Kubernetes API ("4Gi", "1500m"): exact decimals with a suffix.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace dcm::cel {

// A quantity of the Kubernetes API: an exact decimal that remembers the kind of suffix it was
// written with.
//
// At most 38 significant digits, and an exponent of at most a million. Precision ends at 1n: finer
// values are rounded away from zero. With a binary suffix the value is at most 2^63-1.
class Quantity {
 public:
  enum class Format : std::uint8_t { decimal_si, binary_si, decimal_exponent };

  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t value, Format format = Format::decimal_si)
      : Quantity(value, 0, format) {}
  // value * 10^exponent
  constexpr Quantity(__int128 value, std::int32_t exponent, Format format)
      : low_(static_cast<std::uint64_t>(value)),
        high_(static_cast<std::int64_t>(value >> 64)),
        exponent_(exponent),
        format_(format),
        short_(value == static_cast<std::int64_t>(value)) {}

  // The error is the API server's text. Longer numbers and larger exponents are rejected, although
  // Go takes them.
  static std::expected<Quantity, std::string_view> parse(std::string_view text);
  // The same for objects that a server stores, where one rejected number would make a whole list
  // unreadable: digits after the 38th count as zeros, and a larger exponent as a million.
  static std::expected<Quantity, std::string_view> parse_stored(std::string_view text);

  // -1, 0, 1
  int sign() const;
  Format format() const { return format_; }

  // By value, whatever the format: 1Ki == 1024.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }

  // Exact; the result has the format of this one, or of the other if this one is zero. nullopt
  // beyond 38 digits.
  std::optional<Quantity> add(const Quantity& other) const;
  std::optional<Quantity> sub(const Quantity& other) const;

  // The value as a 64-bit integer; nullopt if it is not one.
  std::optional<std::int64_t> as_integer() const;
  // The same, but only if it was written as a plain 64-bit number or is a sum of such: CEL's
  // asInteger(). nullopt for quantity("1000m") and quantity("16Ei").
  std::optional<std::int64_t> as_short_integer() const;
  // value * 1000 as a 64-bit integer; nullopt if it is not one.
  std::optional<std::int64_t> as_milli() const;
  // Rounded away from zero; nullopt beyond 64 bits.
  std::optional<std::int64_t> rounded_up() const;
  double as_approximate_float() const;

  // Canonical: the largest suffix of its format that leaves a whole number ("1536Mi", "1500m",
  // "0").
  std::string text() const;

  constexpr __int128 unscaled() const { return (static_cast<__int128>(high_) << 64) | low_; }

 private:
  std::uint64_t low_ = 0;  // two halves: an __int128 would align each quantity to 16 bytes
  std::int64_t high_ = 0;
  std::int32_t exponent_ = 0;
  Format format_ = Format::decimal_si;
  bool short_ = true;
};

}  // namespace dcm::cel
