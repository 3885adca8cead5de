#include "client/api/meta.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

namespace dcm::api {
namespace {

constexpr std::size_t kUuidLength = 36;
constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr bool is_hyphen_place(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

// The value of a lower-case hexadecimal digit; -1 for anything else.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Whether `text` is 8-4-4-4-12 lower-case hexadecimal digits; if so, stores them in `bytes`.
bool parse_uuid(std::string_view text, std::array<std::uint8_t, 16>& bytes) {
  if (text.size() != kUuidLength) return false;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < kUuidLength;) {
    if (is_hyphen_place(i)) {
      if (text[i++] != '-') return false;
      continue;
    }
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[byte++] = static_cast<std::uint8_t>(high * 16 + low);
    i += 2;
  }
  return true;
}

// "0", or digits without a leading zero, as the API server writes them. So each number has one
// spelling, and the order agrees with ==; "007" is treated as text.
bool is_number(std::string_view text) {
  if (text.empty() || (text.front() == '0' && text.size() > 1)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Uid::Uid(std::string_view text) {
  if (text.empty()) return;
  Bytes bytes{};
  // All zeros mean "none", so the zero UUID is stored as text.
  if (parse_uuid(text, bytes) && bytes != Bytes{}) {
    bytes_ = bytes;
  } else {
    text_ = RareText(text);
  }
}

std::string Uid::str() const {
  if (text_) return *text_;
  if (empty()) return {};
  std::string text(kUuidLength, '-');
  std::size_t place = 0;
  for (const std::uint8_t byte : bytes_) {
    if (is_hyphen_place(place)) ++place;
    text[place++] = kHexDigits[byte >> 4];
    text[place++] = kHexDigits[byte & 15];
  }
  return text;
}

std::size_t Uid::hash() const noexcept {
  // The server's UUIDs are random, but an owner reference can hold any UID.
  if (text_) return runtime::keyed_hash(*text_);
  return runtime::keyed_hash({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
}

bool operator==(const Uid& a, const Uid& b) noexcept {
  return (a <=> b) == 0;
}

// Orders absent UIDs and UUIDs by their bytes, before all other texts. (A text's bytes are zero.)
std::strong_ordering operator<=>(const Uid& a, const Uid& b) noexcept {
  if (a.text_ || b.text_) return a.text_ <=> b.text_;
  return std::memcmp(a.bytes_.data(), b.bytes_.data(), sizeof(Uid::Bytes)) <=> 0;
}

ResourceVersion::ResourceVersion(std::string_view text) {
  if (text.empty()) return;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const bool fits = is_number(text) && std::from_chars(text.data(), end, number).ec == std::errc();
  if (fits && number < std::numeric_limits<std::uint64_t>::max()) {
    successor_ = number + 1;
  } else {
    text_ = RareText(text);
  }
}

std::string ResourceVersion::str() const {
  if (text_) return *text_;
  return successor_ == 0 ? std::string() : std::to_string(successor_ - 1);
}

// In this order: none, texts, numbers, and numbers too long for the integer.
std::strong_ordering operator<=>(const ResourceVersion& a, const ResourceVersion& b) noexcept {
  if (!a.text_ && !b.text_) return a.successor_ <=> b.successor_;
  const auto rank = [](const ResourceVersion& version) {
    if (version.text_) return is_number(*version.text_) ? 3 : 1;
    return version.empty() ? 0 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) <=> rank(b);
  if (rank(a) == 3 && (*a.text_).size() != (*b.text_).size())
    return (*a.text_).size() <=> (*b.text_).size();
  return a.text_ <=> b.text_;
}

std::string NamespacedName::str() const {
  return namespace_.empty() ? name : namespace_.str() + "/" + name;
}

}  // namespace dcm::api
