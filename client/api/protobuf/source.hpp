// A field of a protobuf message, as the tables of fields read it (client/api/fields.hpp). Damaged
// data throws (field.hpp), so nothing here returns false.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "client/api/fields.hpp"
#include "client/api/protobuf/field.hpp"

namespace dcm::api::protobuf {

// metav1.Time; nullopt for the zero time, which has no bytes.
std::optional<runtime::WallTime> read_time(const Field& time);

class Source {
 public:
  static constexpr Format kFormat = Format::protobuf;

  explicit Source(const Field& from) : from_(&from) {}

  // Protobuf leaves out what is not set.
  static constexpr bool is_null() { return false; }
  bool text(std::string_view& out) const { return out = from_->text(), true; }
  bool word(std::string_view& out) const { return out = from_->bytes(), true; }
  bool flag(bool& out) const { return out = from_->flag(), true; }
  bool integer(std::int64_t& out) const { return out = from_->integer(), true; }
  bool time(std::optional<runtime::WallTime>& out) const { return out = read_time(*from_), true; }
  // `on_field(std::uint32_t number, Source) -> bool`.
  template <class OnField>
  bool each_field(OnField&& on_field) const {
    protobuf::each_field(*from_, [&](const Field& field) {
      static_cast<void>(on_field(field.number(), Source(field)));
    });
    return true;
  }
  // Each item is a field.
  template <class OnItem>
  bool each_item(OnItem&& on_item) const {
    return on_item(*this);
  }
  // Each entry of a map is a field, too.
  template <class OnEntry>
  bool each_entry(OnEntry&& on_entry) const {
    std::string_view key;
    Field value({}, from_->texts());
    protobuf::each_field(*from_, [&](const Field& field) {
      if (field.number() == 1) key = field.text();
      if (field.number() == 2) value = field;
    });
    return on_entry(key, Source(value));
  }
  static constexpr bool count_item() { return true; }  // each message is counted
  template <class OnField>
  bool raw(std::string_view& out, OnField&& on_field) const {
    out = from_->bytes();
    return each_field(on_field);
  }
  template <class M>
  bool read(M& out) const {
    return read_value(*this, out);
  }
  [[noreturn]] static bool fail(std::string_view) { throw WrongType(); }

 private:
  const Field* from_;
};

}  // namespace dcm::api::protobuf
