// Decoding by rows: a type's fields are listed once, as names and members.
//
//   bool read(Reader& reader, value from, CounterSet& out) {
//     return read_rows(reader, from, out, Row("name", &CounterSet::name),
//                      Row("counters", &CounterSet::counters));
//   }
//
// A row's member may also be a function `(Reader&, value, T&) -> bool`. Fields without a row are
// skipped. A member's type is read by its own `read`, found next to the type.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocation/claim.hpp"
#include "client/api/json/reader.hpp"
#include "runtime/interned_string.hpp"

namespace dcm::allocation {

using api::json::Reader;
using api::json::value;

template <class Member>
struct Row {
  std::string_view key;
  Member member;
};
template <class Member>
Row(const char*, Member) -> Row<Member>;

template <class Text>
  requires std::same_as<Text, std::string> || std::same_as<Text, runtime::InternedString>
[[nodiscard]] bool read(Reader& reader, value from, Text& out) {
  return reader.text(from, out);
}
[[nodiscard]] inline bool read(Reader& reader, value from, bool& out) {
  return reader.flag(from, out);
}
[[nodiscard]] inline bool read(Reader& reader, value from, std::int64_t& out) {
  return reader.integer(from, out);
}
[[nodiscard]] bool read(Reader& reader, value from, Quantity& out);
[[nodiscard]] bool read(Reader& reader, value from, api::TaintEffect& out);
[[nodiscard]] bool read(Reader& reader, value from, std::optional<runtime::WallTime>& out);
// An object, or any other value that only passes through.
[[nodiscard]] bool read(Reader& reader, value from, RawJson& out);

template <class T>
[[nodiscard]] bool read(Reader& reader, value from, std::vector<T>& out);
template <class T>
[[nodiscard]] bool read(Reader& reader, value from, std::optional<T>& out);
template <class T>
[[nodiscard]] bool read(Reader& reader, value from, std::map<std::string, T>& out);

template <class T>
bool read(Reader& reader, value from, std::vector<T>& out) {
  const bool is_read =
      reader.each_item(from, [&](value item) { return read(reader, item, out.emplace_back()); });
  out.shrink_to_fit();
  return is_read;
}

template <class T>
bool read(Reader& reader, value from, std::optional<T>& out) {
  return api::json::is_null(from) || read(reader, from, out.emplace());
}

template <class T>
bool read(Reader& reader, value from, std::map<std::string, T>& out) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    return read(reader, field, out[std::string(key)]);
  });
}

template <class T, class Member>
[[nodiscard]] bool read_member(Reader& reader, value from, T& out, const Member& member) {
  if constexpr (std::is_member_pointer_v<Member>) {
    return read(reader, from, out.*member);
  } else {
    return member(reader, from, out);
  }
}

// One field of an object.
template <class T, class... Members>
[[nodiscard]] bool read_row(Reader& reader, std::string_view key, value field, T& out,
                            const Row<Members>&... rows) {
  bool is_read = true;
  const auto is_it = [&](const auto& row) {
    if (row.key != key) return false;
    is_read = read_member(reader, field, out, row.member);
    return true;
  };
  static_cast<void>((is_it(rows) || ...));
  return is_read;
}

template <class T, class... Members>
[[nodiscard]] bool read_rows(Reader& reader, value from, T& out, const Row<Members>&... rows) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    return read_row(reader, key, field, out, rows...);
  });
}

}  // namespace dcm::allocation
