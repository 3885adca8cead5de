// Reading values with simdjson's on-demand parser: shared by the decoders of all kinds.
//
// A function that reads returns false when it failed, and the Reader then knows where (a path such
// as `status.reservedFor[3].uid`) and why. Field order never matters, an explicit null is the same
// as a missing field, and unused fields are skipped without inspection.
//
// simdjson hands out each value once, in the order of the document: read it at once or not at all.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

// Matches how all of the library is compiled: simdjson never throws.
#ifndef SIMDJSON_EXCEPTIONS
#define SIMDJSON_EXCEPTIONS 0
#endif
#include <simdjson.h>

#include "runtime/error.hpp"

namespace dcm::api::json {

namespace ondemand = simdjson::ondemand;
using ondemand::value;

// Whether the value is null, which is equivalent to a missing field.
[[nodiscard]] bool is_null(value field);

class Reader {
 public:
  // Resets the count of items, which is limited (kItemsMax).
  void begin_object() { items_ = 0; }
  // Counts an entry of a map, because each_item() does not.
  [[nodiscard]] bool count_item();

  // Calls `on_field(key, value) -> bool` for each field. Keys (like all views from here) live as
  // long as the document.
  template <class OnField>
  [[nodiscard]] bool each_field(value object, OnField&& on_field);
  template <class OnField>
  [[nodiscard]] bool each_field_of(ondemand::object object, OnField&& on_field);
  // Calls `on_item(value) -> bool` for each item.
  template <class OnItem>
  [[nodiscard]] bool each_item(value array, OnItem&& on_item);
  // The same for the objects of a list, each of which counts its own items; the objects themselves
  // are not counted.
  template <class OnObject>
  [[nodiscard]] bool each_object(value array, OnObject&& on_object);

  // A string; empty for null.
  [[nodiscard]] bool view(value string, std::string_view& out);
  // The same, into any type that can be assigned a string_view.
  template <class Text>
    requires std::constructible_from<Text, std::string_view>
  [[nodiscard]] bool text(value string, Text& out);
  // Unchanged for null.
  [[nodiscard]] bool flag(value boolean, bool& out);
  // Unchanged for null.
  [[nodiscard]] bool integer(value number, std::int64_t& out);
  // The JSON text of an object, after `on_field` has seen its fields. Unchanged for null.
  template <class OnField>
  [[nodiscard]] bool raw_object(value object, std::string_view& out, OnField&& on_field);

  // These record a failure and return false.
  bool fail(std::string_view why);
  bool fail(simdjson::error_code code, std::string_view expected);
  bool missing(std::string_view field);

  // Names the object that failed, in a list or a watch. (Its name may come after the field that
  // cannot be read: then the path has to do.)
  void blame(std::string_view object);

  // The error (malformed), with path and cause. Call this only after a failure.
  runtime::Error error() const;

 private:
  // Opens a compound value; sets `is_null` if there is none.
  template <class Compound>
  bool open(value from, Compound& out, bool& is_null, std::string_view expected);
  bool key_of(ondemand::field& field, std::string_view& out);
  bool within(std::string_view key);
  bool within(std::size_t index);
  bool null_or_fail(value scalar, simdjson::error_code code, std::string_view expected);

  std::size_t items_ = 0;
  std::string path_;
  std::string why_;
  std::string object_;
};

template <class Compound>
bool Reader::open(value from, Compound& out, bool& is_null, std::string_view expected) {
  const simdjson::error_code code = from.get(out);
  is_null = code != simdjson::SUCCESS;
  return !is_null || null_or_fail(from, code, expected);
}

template <class OnField>
bool Reader::each_field(value object, OnField&& on_field) {
  ondemand::object fields;
  bool is_null = false;
  if (!open(object, fields, is_null, "an object")) return false;
  return is_null || each_field_of(fields, on_field);
}

template <class OnField>
bool Reader::each_field_of(ondemand::object object, OnField&& on_field) {
  for (auto item : object) {
    ondemand::field field;
    if (const auto code = std::move(item).get(field)) return fail(code, "a field");
    std::string_view key;
    if (!key_of(field, key)) return false;
    if (!on_field(key, field.value())) return within(key);
  }
  return true;
}

template <class OnItem>
bool Reader::each_item(value array, OnItem&& on_item) {
  return each_object(array, [&](value item) { return count_item() && on_item(item); });
}

template <class OnObject>
bool Reader::each_object(value array, OnObject&& on_object) {
  ondemand::array items;
  bool is_null = false;
  if (!open(array, items, is_null, "an array")) return false;
  if (is_null) return true;
  std::size_t index = 0;
  for (auto item : items) {
    value element;
    if (const auto code = std::move(item).get(element)) return fail(code, "an item");
    if (!on_object(element)) return within(index);
    ++index;
  }
  return true;
}

template <class Text>
  requires std::constructible_from<Text, std::string_view>
bool Reader::text(value string, Text& out) {
  std::string_view text;
  if (!view(string, text)) return false;
  out = Text(text);
  return true;
}

template <class OnField>
bool Reader::raw_object(value object, std::string_view& out, OnField&& on_field) {
  ondemand::object fields;
  bool is_null = false;
  if (!open(object, fields, is_null, "an object")) return false;
  if (is_null) return true;
  if (!each_field_of(fields, on_field)) return false;
  if (const auto code = fields.reset().error()) return fail(code, "an object");
  std::string_view raw;
  if (const auto code = fields.raw_json().get(raw)) return fail(code, "an object");
  out = raw.substr(0, raw.rfind('}') + 1);  // simdjson includes trailing blanks
  return true;
}

}  // namespace dcm::api::json
