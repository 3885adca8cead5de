// A string that is stored once, however often it occurs: names, namespaces.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace dcm::runtime {

// A pointer-sized value. Equal strings share one entry of a process-wide table, which is removed
// with its last user. Loop thread only: the reference counts are plain integers.
class InternedString {
 public:
  InternedString() = default;  // the empty string
  InternedString(std::string_view text);
  InternedString(const char* text) : InternedString(std::string_view(text)) {}
  InternedString(const std::string& text) : InternedString(std::string_view(text)) {}
  InternedString(const InternedString& other) noexcept;
  InternedString(InternedString&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  InternedString& operator=(InternedString other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~InternedString();

  // Valid while an equal string lives.
  std::string_view view() const noexcept;
  operator std::string_view() const noexcept { return view(); }
  std::string str() const { return std::string(view()); }
  bool empty() const noexcept { return entry_ == nullptr; }
  // Hashes the content, so that the order of a hash table does not depend on addresses.
  std::size_t hash() const noexcept;

  friend bool operator==(const InternedString& a, const InternedString& b) noexcept {
    return a.entry_ == b.entry_;
  }
  // Does not intern the text.
  template <std::convertible_to<std::string_view> Text>
    requires(!std::same_as<Text, InternedString>)
  friend bool operator==(const InternedString& a, const Text& b) noexcept {
    return a.view() == std::string_view(b);
  }
  friend std::strong_ordering operator<=>(const InternedString& a,
                                          const InternedString& b) noexcept {
    return a.view() <=> b.view();
  }

  friend std::string operator+(const InternedString& a, std::string_view b) {
    return a.str().append(b);
  }
  friend std::string operator+(std::string_view a, const InternedString& b) {
    return std::string(a).append(b.view());
  }

  // The number of different strings alive.
  static std::size_t table_size() noexcept;

 private:
  friend class NumberOrText;
  struct Entry;
  struct Table;
  static void release(Entry* entry) noexcept;

  Entry* entry_ = nullptr;
};

// A number below 2^63 or an interned string, in eight bytes.
class NumberOrText {
 public:
  NumberOrText() = default;  // the empty text
  explicit NumberOrText(std::uint64_t number) noexcept : bits_(number | kIsNumber) {}
  explicit NumberOrText(InternedString text) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(std::exchange(text.entry_, nullptr))) {}
  NumberOrText(const NumberOrText& other) noexcept;
  NumberOrText(NumberOrText&& other) noexcept : bits_(std::exchange(other.bits_, 0)) {}
  NumberOrText& operator=(NumberOrText other) noexcept {
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~NumberOrText();

  bool empty() const noexcept { return bits_ == 0; }
  bool is_number() const noexcept { return (bits_ & kIsNumber) != 0; }
  std::uint64_t number() const noexcept { return bits_ & ~kIsNumber; }  // requires is_number()
  std::string_view text() const noexcept;                               // empty if it is a number

  friend bool operator==(const NumberOrText&, const NumberOrText&) = default;
  // Texts sort before numbers.
  friend std::strong_ordering operator<=>(const NumberOrText& a, const NumberOrText& b) noexcept {
    if (a.is_number() && b.is_number()) return a.number() <=> b.number();
    if (a.is_number() || b.is_number()) return a.is_number() <=> b.is_number();
    return a.text() <=> b.text();
  }

 private:
  static constexpr std::uint64_t kIsNumber = std::uint64_t{1} << 63U;
  InternedString::Entry* entry() const noexcept;  // null: a number, or the empty text

  // A number with the highest bit set, or the address of an entry, which never has that bit.
  std::uint64_t bits_ = 0;
};

}  // namespace dcm::runtime

template <>
struct std::hash<dcm::runtime::InternedString> {
  std::size_t operator()(const dcm::runtime::InternedString& text) const noexcept {
    return text.hash();
  }
};
