// Reading the fields of a message with protozero: shared by the decoders of all kinds.
//
// Fields come in any order, and unused fields are skipped. A damaged field, or one of the wrong
// wire type, throws a protozero::exception, which read_bytes() turns into an Error.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "client/api/format.hpp"
#include "runtime/error.hpp"

namespace dcm::api::protobuf {

// Repaired text. Nothing checks that text in a message is UTF-8; the server's JSON encoder replaces
// each invalid byte by U+FFFD, and so do we: our writes are JSON.
class Texts {
 public:
  // Resets the count of messages, which is limited (kItemsMax).
  void begin_object() { items_ = 0; }
  // Throws TooManyItems.
  void count_item();

  // The text itself, or its repaired copy, which lives as long as this.
  std::string_view valid(std::string_view text);

 private:
  std::size_t items_ = 0;
  std::deque<std::string> mended_;
};

class TooManyItems : public protozero::exception {
 public:
  const char* what() const noexcept override { return kTooManyItems; }
};

inline void Texts::count_item() {
  if (++items_ > kItemsMax) throw TooManyItems();
}

class WrongType : public protozero::exception {
 public:
  const char* what() const noexcept override { return "a field of another type than expected"; }
};

// A field of a message; views live as long as the document and its Texts.
class Field {
 public:
  // A whole message, treated as a field.
  Field(std::string_view message, Texts& texts) : texts_(&texts), bytes_(message) {}
  // The field at `reader`'s position; moves past it.
  Field(protozero::pbf_reader& reader, Texts& texts);

  std::uint32_t number() const { return number_; }
  // A message, or text that is only compared.
  std::string_view bytes() const;
  // UTF-8.
  std::string_view text() const { return texts_->valid(bytes()); }
  std::int64_t integer() const;
  bool flag() const { return integer() != 0; }
  Texts& texts() const { return *texts_; }

 private:
  Texts* texts_;
  std::uint32_t number_ = 0;
  protozero::pbf_wire_type type_ = protozero::pbf_wire_type::length_delimited;
  std::string_view bytes_;
  std::int64_t integer_ = 0;
};

// Inline: it runs for each field of each object, even for fields that nobody reads.
inline Field::Field(protozero::pbf_reader& reader, Texts& texts)
    : texts_(&texts), number_(reader.tag()), type_(reader.wire_type()) {
  if (type_ == protozero::pbf_wire_type::length_delimited) {
    const protozero::data_view view = reader.get_view();
    bytes_ = {view.data(), view.size()};
  } else if (type_ == protozero::pbf_wire_type::varint) {
    integer_ = static_cast<std::int64_t>(reader.get_uint64());
  } else {
    reader.skip();
  }
}

// Calls `on_field(Field)` for each field of a message, which counts as an item.
template <class OnField>
void each_field(const Field& message, OnField&& on_field) {
  message.texts().count_item();
  const std::string_view bytes = message.bytes();
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) on_field(Field(reader, message.texts()));
}

runtime::Error malformed(std::string_view why);

// Returns the Result of `read`, or the reason why it could not continue.
template <class Read>
auto read_bytes(Read&& read) -> decltype(read()) {
  try {
    return read();
  } catch (const protozero::exception& damage) {
    return runtime::fail(malformed(damage.what()));
  }
}

}  // namespace dcm::api::protobuf
