#include "client/api/json/field_value.hpp"

#include "client/api/json/source.hpp"

namespace dcm::api::json {
namespace {

ondemand::value& value_of(void* value) {
  return *static_cast<ondemand::value*>(value);
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

}  // namespace

bool FieldValue::each_field(const OnField& on_field) const {
  return reader_->each_field(value_of(value_), [&](std::string_view key, ondemand::value field) {
    return on_field(key, FieldValue(*reader_, &field));
  });
}

bool FieldValue::each_item(const OnItem& on_item) const {
  return reader_->each_item(
      value_of(value_), [&](ondemand::value item) { return on_item(FieldValue(*reader_, &item)); });
}

bool FieldValue::fail(std::string_view why) const {
  return reader_->fail(why);
}

bool FieldValue::is_null() const {
  return json::is_null(value_of(value_));
}

bool FieldValue::text(std::string_view& out) const {
  return reader_->view(value_of(value_), out);
}

bool FieldValue::flag(bool& out) const {
  return reader_->flag(value_of(value_), out);
}

bool FieldValue::integer(std::int64_t& out) const {
  return reader_->integer(value_of(value_), out);
}

bool FieldValue::number(double& out) const {
  if (is_null()) return true;
  const auto code = value_of(value_).get(out);
  return code == simdjson::SUCCESS || reader_->fail(code, "a number");
}

bool FieldValue::time(std::optional<runtime::WallTime>& out) const {
  return read_time(*reader_, value_of(value_), out);
}

bool FieldValue::any(std::string_view& out) const {
  const auto code = raw_text(value_of(value_), out);
  return code == simdjson::SUCCESS || reader_->fail(code, "a value");
}

bool FieldValue::count_item() const {
  return reader_->count_item();
}

bool read_json(FieldValue from, RawJson& raw) {
  std::string_view text;
  if (!from.any(text)) return false;
  // The parser adds the blanks that follow.
  raw.text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (raw.text == "null") raw.text.clear();
  return true;
}

bool read_json(FieldValue from, double& number) {
  return from.number(number);
}

bool read_json(FieldValue from, std::optional<ControllerRef>& owner) {
  return controller([](ControllerRef ref, auto& out) { out = std::move(ref); })(from, owner);
}

}  // namespace dcm::api::json
