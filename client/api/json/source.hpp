// A value in a JSON document, as the tables of fields read it (client/api/fields.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "client/api/fields.hpp"
#include "client/api/json/reader.hpp"

namespace dcm::api::json {

// metav1.Time; nothing for null.
[[nodiscard]] bool read_time(Reader& reader, value field, std::optional<runtime::WallTime>& out);

// Valid only during the call that receives it. A value can be read once.
class Source {
 public:
  static constexpr Format kFormat = Format::json;

  Source(Reader& reader, value from) : reader_(&reader), from_(from) {}

  bool is_null() const { return json::is_null(from_); }
  // Empty for null; the same for a Word.
  bool text(std::string_view& out) const { return reader_->view(from_, out); }
  bool word(std::string_view& out) const { return reader_->view(from_, out); }
  // A number as it stands there, or a text.
  bool number_or_text(std::string_view& out) const;
  bool flag(bool& out) const { return reader_->flag(from_, out); }
  bool integer(std::int64_t& out) const { return reader_->integer(from_, out); }
  bool time(std::optional<runtime::WallTime>& out) const { return read_time(*reader_, from_, out); }
  // `on_field(std::string_view key, Source)`, like all of these, returns whether it succeeded.
  template <class OnField>
  bool each_field(OnField&& on_field) const {
    return reader_->each_field(from_, [&](std::string_view key, value field) {
      return on_field(key, Source(*reader_, field));
    });
  }
  template <class OnItem>
  bool each_item(OnItem&& on_item) const {
    return reader_->each_item(from_, [&](value item) { return on_item(Source(*reader_, item)); });
  }
  // Visits the entries of a map.
  template <class OnEntry>
  bool each_entry(OnEntry&& on_entry) const {
    return each_field(on_entry);
  }
  bool count_item() const { return reader_->count_item(); }
  template <class OnField>
  bool raw(std::string_view& out, OnField&& on_field) const {
    return reader_->raw_object(from_, out, [&](std::string_view key, value field) {
      return on_field(key, Source(*reader_, field));
    });
  }
  // Reads any type that a row may have.
  template <class M>
  bool read(M& out) const {
    return read_value(*this, out);
  }
  bool fail(std::string_view why) const { return reader_->fail(why); }

  Reader& reader() const { return *reader_; }
  const value& from() const { return from_; }

 private:
  Reader* reader_;
  value from_;
};

}  // namespace dcm::api::json
