#include "client/api/json/field_value.hpp"

#include <limits>

#include "client/api/json/reader.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api::json {
namespace {

ondemand::value& value_of(FieldValue from) {
  return *static_cast<ondemand::value*>(from.value());
}

bool is_nothing(FieldValue from) {
  return is_null(value_of(from));
}

simdjson::error_code raw_text(value whole, std::string_view& text) {
  ondemand::json_type type{};
  if (const auto code = whole.type().get(type)) return code;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (const auto code = whole.get(object)) return code;
    return object.raw_json().get(text);
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (const auto code = whole.get(array)) return code;
    return array.raw_json().get(text);
  }
  text = whole.raw_json_token();
  return simdjson::SUCCESS;
}

// An owner as it is read, before it is known whether it is the controller.
struct Owner {
  ControllerRef ref;
  bool is_controller = false;
};

bool read_owner_field(Reader& reader, std::string_view key, value field, Owner& owner) {
  if (key == "apiVersion") {
    std::string_view version;
    if (!reader.view(field, version)) return false;
    const std::size_t slash = version.find('/');
    owner.ref.group = InternedString(slash == version.npos ? "" : version.substr(0, slash));
    return true;
  }
  if (key == "kind") return reader.text(field, owner.ref.kind);
  if (key == "name") return reader.text(field, owner.ref.name);
  if (key == "uid") return reader.text(field, owner.ref.uid);
  if (key == "controller") return reader.flag(field, owner.is_controller);
  return true;
}

}  // namespace

bool FieldValue::each_field(
    const std::function<bool(std::string_view, FieldValue)>& on_field) const {
  return reader_->each_field(value_of(*this), [&](std::string_view key, ondemand::value field) {
    return on_field(key, FieldValue(*reader_, &field));
  });
}

bool FieldValue::each_item(const std::function<bool(FieldValue)>& on_item) const {
  return reader_->each_item(
      value_of(*this), [&](ondemand::value item) { return on_item(FieldValue(*reader_, &item)); });
}

bool FieldValue::fail(std::string_view why) const {
  return reader_->fail(why);
}

bool read_json(FieldValue from, std::string& text) {
  return from.reader().text(value_of(from), text);
}

bool read_json(FieldValue from, bool& flag) {
  return from.reader().flag(value_of(from), flag);
}

bool read_json(FieldValue from, std::int64_t& number) {
  return from.reader().integer(value_of(from), number);
}

bool read_json(FieldValue from, int& number) {
  std::int64_t wide = 0;
  if (!read_json(from, wide)) return false;
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    return from.fail("expected a number of 32 bits");
  }
  number = static_cast<int>(wide);
  return true;
}

bool read_json(FieldValue from, double& number) {
  if (is_nothing(from)) return true;
  if (const auto code = value_of(from).get(number)) return from.reader().fail(code, "a number");
  return true;
}

bool read_json(FieldValue from, RawJson& raw) {
  std::string_view text;
  if (const auto code = raw_text(value_of(from), text)) return from.reader().fail(code, "a value");
  // The parser includes trailing blanks.
  raw.text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (raw.text == "null") raw.text.clear();
  return true;
}

bool read_json(FieldValue from, std::map<std::string, std::string>& texts) {
  Reader& reader = from.reader();
  return reader.each_field(value_of(from), [&](std::string_view key, value field) {
    return reader.count_item() && reader.text(field, texts[std::string(key)]);
  });
}

bool read_json(FieldValue from, runtime::WallTime& time) {
  std::string_view text;
  if (!from.reader().view(value_of(from), text)) return false;
  if (text.empty()) return true;
  const auto parsed = runtime::parse_timestamp(text);
  if (!parsed) return from.fail("expected a time as 2027-03-01T10:15:00Z");
  time = *parsed;
  return true;
}

bool read_json(FieldValue from, Condition& condition) {
  return from.each_field([&](std::string_view key, FieldValue field) {
    if (key == "type") return read_json(field, condition.type);
    if (key == "status") return read_json(field, condition.status);
    if (key == "reason") return read_json(field, condition.reason);
    if (key == "message") return read_json(field, condition.message);
    if (key == "observedGeneration") return read_json(field, condition.observed_generation);
    if (key == "lastTransitionTime") return read_json(field, condition.last_transition_time);
    return true;
  });
}

bool read_json(FieldValue from, std::optional<ControllerRef>& owner) {
  Reader& reader = from.reader();
  return reader.each_item(value_of(from), [&](value item) {
    Owner read;
    const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
      return read_owner_field(reader, key, field, read);
    });
    if (is_read && read.is_controller) owner = std::move(read.ref);
    return is_read;
  });
}

}  // namespace dcm::api::json
