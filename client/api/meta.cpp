#include "client/api/meta.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

#include "runtime/keyed_hash.hpp"

namespace dcm::api {
namespace {

constexpr std::size_t kUuidLength = 36;
constexpr std::string_view kHexDigits = "0123456789abcdef";

// The place of the hyphen between the halves.
constexpr std::size_t kFirstHalfEnd = 18;

constexpr bool is_hyphen_place(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

// The value of a lower-case hexadecimal digit; -1 for anything else.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

constexpr std::uint64_t kHighestBit = std::uint64_t{1} << 63U;

struct Uuid {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// nullopt unless `text` is 8-4-4-4-12 lower-case hexadecimal digits.
std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != kUuidLength) return std::nullopt;
  Uuid uuid;
  for (std::size_t i = 0; i < kUuidLength; ++i) {
    if (is_hyphen_place(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return std::nullopt;
    std::uint64_t& half = i < kFirstHalfEnd ? uuid.first : uuid.second;
    half = half << 4U | static_cast<std::uint64_t>(value);
  }
  return uuid;
}

// "0", or digits without a leading zero, as the API server writes them. So each number has one
// spelling, and the order agrees with ==; "007" is treated as text.
bool is_number(std::string_view text) {
  if (text.empty() || (text.front() == '0' && text.size() > 1)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Uid::Uid(std::string_view text) {
  const auto uuid = parse_uuid(text);
  if (uuid && (uuid->second & kHighestBit) != 0) {
    first_ = uuid->first;
    second_ = NumberOrText(uuid->second & ~kHighestBit);
  } else {
    second_ = NumberOrText(InternedString(text));
  }
}

std::string Uid::str() const {
  if (!second_.is_number()) return std::string(second_.text());
  std::string text(kUuidLength, '-');
  std::uint64_t first = first_;
  std::uint64_t second = second_.number() | kHighestBit;
  for (std::size_t i = kUuidLength; i-- > 0;) {
    if (is_hyphen_place(i)) continue;
    std::uint64_t& half = i < kFirstHalfEnd ? first : second;
    text[i] = kHexDigits[half & 15U];
    half >>= 4U;
  }
  return text;
}

std::size_t Uid::hash() const noexcept {
  // The server's UUIDs are random, but an owner reference can hold any UID.
  if (!second_.is_number()) return runtime::keyed_hash(second_.text());
  const std::array halves{first_, second_.number()};
  return runtime::keyed_hash({reinterpret_cast<const char*>(halves.data()), sizeof(halves)});
}

ResourceVersion::ResourceVersion(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const bool fits = is_number(text) && std::from_chars(text.data(), end, number).ec == std::errc();
  value_ = fits && number < kHighestBit ? NumberOrText(number) : NumberOrText(InternedString(text));
}

std::string ResourceVersion::str() const {
  return value_.is_number() ? std::to_string(value_.number()) : std::string(value_.text());
}

// In this order: none, texts, numbers, and numbers too long for the integer.
std::strong_ordering operator<=>(const ResourceVersion& a, const ResourceVersion& b) noexcept {
  const NumberOrText& x = a.value_;
  const NumberOrText& y = b.value_;
  const bool is_x_long = is_number(x.text());
  const bool is_y_long = is_number(y.text());
  if (is_x_long != is_y_long) return is_x_long <=> is_y_long;
  if (is_x_long && x.text().size() != y.text().size()) return x.text().size() <=> y.text().size();
  return x <=> y;
}

std::string NamespacedName::str() const {
  return namespace_.empty() ? name.str() : namespace_.str() + "/" + name.str();
}

}  // namespace dcm::api
