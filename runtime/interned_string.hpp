// A string that is stored once, however often it occurs: namespaces, node names.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

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
  InternedString(InternedString&& other) noexcept;
  InternedString& operator=(InternedString other) noexcept;
  ~InternedString();

  const std::string& str() const noexcept;
  operator std::string_view() const noexcept { return str(); }
  bool empty() const noexcept { return entry_ == nullptr; }
  // Hashes the content, so that the order of a hash table does not depend on addresses.
  std::size_t hash() const noexcept;

  friend bool operator==(const InternedString& a, const InternedString& b) noexcept {
    return a.entry_ == b.entry_;
  }
  friend std::strong_ordering operator<=>(const InternedString& a,
                                          const InternedString& b) noexcept {
    return a.str() <=> b.str();
  }

  // The number of different strings alive.
  static std::size_t table_size() noexcept;

 private:
  struct Entry;
  struct Table;
  Entry* entry_ = nullptr;
};

}  // namespace dcm::runtime

template <>
struct std::hash<dcm::runtime::InternedString> {
  std::size_t operator()(const dcm::runtime::InternedString& text) const noexcept {
    return text.hash();
  }
};
