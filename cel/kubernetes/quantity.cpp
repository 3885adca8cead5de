#include "cel/kubernetes/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "cel/ascii.hpp"

namespace dcm::cel {
namespace {

using Wide = __int128;
using Format = Quantity::Format;

constexpr std::string_view kFormatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kNumeric = "unable to parse numeric part of quantity";
constexpr std::string_view kSuffix = "unable to parse quantity's suffix";
constexpr std::string_view kTooLong =
    "quantities of more than 38 significant digits are not supported";

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kNano = -9;
constexpr int kFastDigits = 18;                   // certain to fit into 64 bits
constexpr std::size_t kDigitsMax = 38;            // certain to fit into 128 bits
constexpr std::int32_t kExponentMax = 1'000'000;  // so that no sum of exponents overflows

struct Suffix {
  std::string_view text;
  int base, exponent;
};
constexpr Suffix kSuffixes[] = {{"n", 10, -9}, {"u", 10, -6}, {"m", 10, -3}, {"", 10, 0},
                                {"k", 10, 3},  {"M", 10, 6},  {"G", 10, 9},  {"T", 10, 12},
                                {"P", 10, 15}, {"E", 10, 18}, {"Ki", 2, 10}, {"Mi", 2, 20},
                                {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50}, {"Ei", 2, 60}};

struct Unit {
  int base;
  std::int32_t exponent;
  Format format;
};

// The number behind the suffix "e" or "E".
std::optional<std::int64_t> exponent_in(std::string_view suffix) {
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (error != std::errc{} || end != suffix.data() + suffix.size()) return std::nullopt;
  return exponent;
}

std::optional<Unit> interpret(std::string_view suffix) {
  for (const Suffix& known : kSuffixes)
    if (known.text == suffix)
      return Unit{known.base, known.exponent,
                  known.base == 2 ? Format::binary_si : Format::decimal_si};
  const auto exponent = exponent_in(suffix);
  if (!exponent || *exponent < -kExponentMax || *exponent > kExponentMax) return std::nullopt;
  return Unit{10, static_cast<std::int32_t>(*exponent), Format::decimal_exponent};
}

// An exponent of any size, of which Go keeps the lower 32 bits.
std::optional<Unit> interpret_stored(std::string_view suffix) {
  const auto exponent = exponent_in(suffix);
  if (!exponent) return interpret(suffix);
  return Unit{10, std::clamp(static_cast<std::int32_t>(*exponent), -kExponentMax, kExponentMax),
              Format::decimal_exponent};
}

// The parts of a number: sign, integer and fractional digits, suffix.
struct Parts {
  bool negative = false;
  std::string_view whole, fraction, suffix;
};

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::optional<Parts> split(std::string_view text) {
  Parts parts{.negative = text[0] == '-', .whole = {}, .fraction = {}, .suffix = {}};
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  parts.whole = take_digits(text);
  parts.whole.remove_prefix(std::min(parts.whole.find_first_not_of('0'), parts.whole.size()));
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  parts.suffix = text;
  text.remove_prefix(std::min(text.find_first_not_of("eEinumkKMGTP"), text.size()));
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  take_digits(text);
  if (!text.empty()) return std::nullopt;
  return parts;
}

std::optional<Wide> multiply(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<Wide> scaled(Wide value, std::int64_t powers_of_ten) {
  if (value == 0) return value;
  if (powers_of_ten > 38) return std::nullopt;
  for (; powers_of_ten > 0; --powers_of_ten) {
    const auto next = multiply(value, 10);
    if (!next) return std::nullopt;
    value = *next;
  }
  return value;
}

bool fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() && value <= kMax;
}

// Divides by ten `count` times, rounding away from zero.
Wide divided_up(Wide value, std::int64_t powers_of_ten) {
  bool rest = false;
  const int sign = value < 0 ? -1 : 1;
  for (; powers_of_ten > 0 && value != 0; --powers_of_ten) {
    rest = rest || value % 10 != 0;
    value /= 10;
  }
  return rest ? value + sign : value;
}

// Reads the digits; those finer than 1n round up. The result's exponent is -9 or higher.
std::expected<Quantity, std::string_view> parse_wide(const Parts& parts, const Unit& unit) {
  const auto places = static_cast<std::int32_t>(parts.fraction.size());
  if (unit.base == 2) {
    // A fraction of a power of two has no more decimal places than the power's exponent plus its
    // own.
    std::string digits(parts.whole);
    digits += parts.fraction;
    Wide value = 0;
    for (const char c : digits) {
      const auto next = multiply(value, 10);
      if (!next || __builtin_add_overflow(*next, c - '0', &value)) return std::unexpected(kTooLong);
    }
    // Beyond 2^63-1 the exact value does not matter.
    const auto shifted = multiply(value, static_cast<Wide>(1) << unit.exponent);
    if (!shifted && places > 9) return std::unexpected(kTooLong);
    Wide nano = shifted.value_or(std::numeric_limits<Wide>::max());
    if (places > 9) nano = divided_up(nano, places - 9);
    const auto most = scaled(nano, std::max(0, 9 - places));
    if (!most || *most > static_cast<Wide>(kMax) * 1'000'000'000)
      return Quantity(static_cast<Wide>(kMax), 0, Format::binary_si);
    const bool below_one = *most < 1'000'000'000 && *most > 0;
    return Quantity(*most, kNano, below_one ? Format::decimal_si : Format::binary_si);
  }
  Wide value = 0;
  bool finer = false;
  std::int32_t power = unit.exponent + static_cast<std::int32_t>(parts.whole.size());
  for (const auto digits : {parts.whole, parts.fraction})
    for (const char c : digits) {
      --power;
      if (power < kNano) {
        finer = finer || c != '0';
        continue;
      }
      const auto next = multiply(value, 10);
      if (!next || __builtin_add_overflow(*next, c - '0', &value)) return std::unexpected(kTooLong);
    }
  const std::int32_t exponent = std::max(power, kNano);
  if (finer) ++value;
  if (const auto nano = scaled(value, exponent - kNano)) return Quantity(*nano, kNano, unit.format);
  return Quantity(value, exponent, unit.format);
}

// A number that is too long for parse_wide, without its sign.
Quantity saturated(const Parts& parts, Unit unit) {
  if (unit.base == 2) {
    // 19 digits before the point exceed 2^63-1 or are as many as it has; 19 behind it are enough
    // for any power to be exact to 1n.
    constexpr std::size_t kHalf = kDigitsMax / 2;
    const Quantity most(static_cast<Wide>(kMax), 0, Format::binary_si);
    if (parts.whole.size() > kHalf) return most;
    Parts shorter = parts;
    shorter.fraction = parts.fraction.substr(0, kHalf);
    return parse_wide(shorter, unit).value_or(most);
  }
  std::string digits(parts.whole);
  digits += parts.fraction;
  digits.erase(0, digits.find_first_not_of('0'));
  unit.exponent -= static_cast<std::int32_t>(parts.fraction.size());
  if (digits.size() > kDigitsMax) {
    unit.exponent += static_cast<std::int32_t>(digits.size() - kDigitsMax);
    digits.resize(kDigitsMax);
  }
  const Parts shorter{.negative = false, .whole = digits, .fraction = {}, .suffix = {}};
  return parse_wide(shorter, unit).value_or(Quantity());
}

std::string digits_of(Wide value) {
  std::string text;
  const bool negative = value < 0;
  do {
    text.push_back(static_cast<char>('0' + std::abs(static_cast<int>(value % 10))));
    value /= 10;
  } while (value != 0);
  if (negative) text.push_back('-');
  std::ranges::reverse(text);
  return text;
}

}  // namespace

std::expected<Quantity, std::string_view> Quantity::parse(std::string_view text) {
  if (text.empty()) return std::unexpected(kFormatWrong);
  const auto parts = split(text);
  if (!parts) return std::unexpected(kFormatWrong);
  const auto unit = interpret(parts->suffix);
  if (!unit) return std::unexpected(kSuffix);

  // In 64 bits if that is certain to fit: reference implementations convert only such values to
  // integers.
  const int whole = std::max(1, static_cast<int>(parts->whole.size()));
  const int places = static_cast<int>(parts->fraction.size());
  int precision = kFastDigits - whole - places;
  if (unit->base == 2) precision = places == 0 ? 14 - whole - unit->exponent * 3 / 10 : -1;
  const std::int32_t scale = (unit->base == 2 ? 0 : unit->exponent) - places;
  if (precision >= 0 && scale >= kNano) {
    std::int64_t value = 0;
    for (const auto digits : {parts->whole, parts->fraction})
      for (const char c : digits) value = value * 10 + (c - '0');
    if (unit->base == 2) value <<= unit->exponent;
    Quantity quick(parts->negative ? -value : value, scale, unit->format);
    quick.short_ = true;
    return quick;
  }
  if (parts->whole.empty() && parts->fraction.empty() &&
      text.find('0') >= text.size() - parts->suffix.size())
    return std::unexpected(kNumeric);
  auto result = parse_wide(*parts, *unit);
  if (result && parts->negative)
    *result = Quantity(-result->unscaled(), result->exponent_, result->format_);
  if (result) result->short_ = false;
  return result;
}

std::expected<Quantity, std::string_view> Quantity::parse_stored(std::string_view text) {
  auto result = parse(text);
  if (result || text.empty()) return result;
  const auto parts = split(text);
  const auto unit = parts ? interpret_stored(parts->suffix) : std::nullopt;
  if (!unit || result.error() == kNumeric) return result;
  Quantity most = saturated(*parts, *unit);
  if (parts->negative) most = Quantity(-most.unscaled(), most.exponent_, most.format_);
  most.short_ = false;
  return most;
}

int Quantity::sign() const {
  return high_ < 0 ? -1 : (high_ > 0 || low_ > 0) ? 1 : 0;
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (a.exponent_ == b.exponent_) return a.unscaled() <=> b.unscaled();
  if (a.exponent_ < b.exponent_) return 0 <=> (b <=> a);
  if (a.sign() != b.sign() || a.sign() == 0) return a.sign() <=> b.sign();
  const auto same_scale = scaled(a.unscaled(), a.exponent_ - b.exponent_);
  if (!same_scale) return a.sign() <=> 0;  // more than 38 digits: farther from zero than any other
  return *same_scale <=> b.unscaled();
}

std::optional<Quantity> Quantity::add(const Quantity& other) const {
  const Format format = sign() == 0 ? other.format_ : format_;
  const bool is_short = short_ && other.short_;
  if (other.sign() == 0 || sign() == 0) {
    Quantity result = other.sign() == 0 ? *this : other;
    result.format_ = format;
    result.short_ = is_short;
    return result;
  }
  const std::int32_t exponent = std::min(exponent_, other.exponent_);
  const auto a = scaled(unscaled(), exponent_ - exponent);
  const auto b = scaled(other.unscaled(), other.exponent_ - exponent);
  Wide sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  Quantity result(sum, exponent, format);
  result.short_ = is_short && fits(*a) && fits(*b) && fits(sum);
  return result;
}

std::optional<Quantity> Quantity::sub(const Quantity& other) const {
  Quantity negated(-other.unscaled(), other.exponent_, other.format_);
  negated.short_ = other.short_;
  return add(negated);
}

std::optional<std::int64_t> Quantity::as_short_integer() const {
  if (!short_ || exponent_ < 0) return std::nullopt;
  return as_integer();
}

std::optional<std::int64_t> Quantity::as_integer() const {
  const auto rounded = rounded_up();
  if (!rounded || *this != Quantity(*rounded)) return std::nullopt;
  return rounded;
}

std::optional<std::int64_t> Quantity::as_milli() const {
  return Quantity(unscaled(), exponent_ + 3, format_).as_integer();
}

std::optional<std::int64_t> Quantity::rounded_up() const {
  const auto whole =
      exponent_ < 0 ? std::optional(divided_up(unscaled(), -static_cast<std::int64_t>(exponent_)))
                    : scaled(unscaled(), exponent_);
  if (!whole || !fits(*whole)) return std::nullopt;
  return static_cast<std::int64_t>(*whole);
}

double Quantity::as_approximate_float() const {
  const auto base = static_cast<double>(unscaled());
  if (exponent_ == 0) return base;
  // One correctly rounded power, one rounding of the product.
  double power = 0;
  const std::string text = "1e" + std::to_string(exponent_);
  std::from_chars(text.data(), text.data() + text.size(), power);
  if (exponent_ > 308) power = std::numeric_limits<double>::infinity();
  return base * power;
}

std::string Quantity::text() const {
  if (sign() == 0) return "0";
  Wide value = unscaled();
  std::int64_t exponent = exponent_;
  if (format_ == Format::binary_si && (*this <= Quantity(-1024) || *this >= Quantity(1024))) {
    const auto whole =
        exponent >= 0 ? scaled(value, exponent) : std::optional(divided_up(value, -exponent));
    if (whole && Quantity(*whole, 0, format_) == *this) {
      value = *whole;
      int power = 0;
      for (; value % 1024 == 0 && power < 60; power += 10) value /= 1024;
      for (const Suffix& suffix : kSuffixes)
        if (power > 0 && suffix.base == 2 && suffix.exponent == power)
          return digits_of(value).append(suffix.text);
      return digits_of(value);
    }
  }
  for (; value % 10 == 0; ++exponent) value /= 10;
  const std::int64_t largest = format_ == Format::decimal_exponent ? exponent : 18;
  std::string zeros;
  while (exponent % 3 != 0 || exponent > largest) {
    zeros.push_back('0');
    --exponent;
  }
  std::string text = digits_of(value) + zeros;
  if (format_ == Format::decimal_exponent)
    return exponent == 0 ? text : text + "e" + std::to_string(exponent);
  for (const Suffix& suffix : kSuffixes)
    if (suffix.base == 10 && suffix.exponent == exponent) text += suffix.text;
  return text;
}

}  // namespace dcm::cel
