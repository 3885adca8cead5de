#include "apiserver/fields/go_values.hpp"

#include "cel/kubernetes/quantity.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

using Kind = FieldType::Kind;

// Invalid quantities are kept, to be rejected elsewhere.
void write_quantity(Json& value) {
  if (!value.is_string() && !value.is_number()) return;
  const std::string text =
      value.is_string() ? std::string(view(value.get_string())) : serialize(value);
  if (const auto quantity = cel::Quantity::parse(text)) value = quantity->text();
}

// In UTC. Most times are that already. Kept are invalid ones, to be rejected elsewhere, and ones
// that WallTime cannot hold.
void write_time(Json& value, Kind kind) {
  const std::string_view text = as_text(value);
  const bool is_micro = kind == Kind::micro_time;
  const std::size_t size = std::string_view("2006-01-02T15:04:05Z").size() + (is_micro ? 7 : 0);
  if (text.size() == size && text.ends_with('Z')) return;
  const auto time = runtime::parse_micro_timestamp(text);
  if (!time || *time == runtime::WallTime::min() || *time == runtime::WallTime::max()) return;
  value = is_micro ? runtime::micro_timestamp(*time) : runtime::timestamp(*time);
}

void write_below(Json& value, const FieldType& type) {
  if (type.kind == Kind::quantity) {
    write_quantity(value);
  } else if (type.kind == Kind::time || type.kind == Kind::micro_time) {
    write_time(value, type.kind);
  } else if (type.kind == Kind::list && value.is_array()) {
    for (Json& item : value.get_array()) write_below(item, *type.element);
  } else if (type.kind == Kind::map && value.is_object()) {
    for (auto& member : value.get_object()) write_below(member.value(), *type.element);
  } else if (type.kind == Kind::object && value.is_object()) {
    write_values_as_go(value.get_object(), type);
  }
}

bool is_empty_map(const Json& value, const FieldType& type) {
  return type.kind == Kind::map && value.is_object() && value.get_object().empty();
}

void fill_item(Json& item, const FieldType& type);

void fill_below(Json& value, const FieldType& type) {
  if (type.kind == Kind::list && value.is_array()) {
    for (Json& item : value.get_array()) fill_item(item, *type.element);
  } else if (type.kind == Kind::map && value.is_object()) {
    for (auto& member : value.get_object()) fill_item(member.value(), *type.element);
  } else if (type.kind == Kind::object && value.is_object()) {
    fill_nulls(value.get_object(), type);
  }
}

void fill_item(Json& item, const FieldType& type) {
  if (item.is_null()) item = zero_value(type);
  fill_below(item, type);
}

}  // namespace

Json zero_value(const FieldType& type) {
  switch (type.kind) {
    case Kind::text:
    case Kind::bytes:
      return "";
    case Kind::object:
      return JsonObject();
    case Kind::quantity:
      return "0";
    default:
      return {};
  }
}

void fill_nulls(JsonObject& object, const FieldType& type) {
  for (auto& [name, value] : object) {
    const auto field = type.fields.find(std::string_view(name));
    if (field != type.fields.end()) fill_below(value, *field->second);
  }
}

void write_values_as_go(JsonObject& object, const FieldType& type) {
  for (auto member = object.begin(); member != object.end();) {
    const auto field = type.fields.find(std::string_view(member->key()));
    const bool is_known = field != type.fields.end();
    if (is_known && is_empty_map(member->value(), *field->second)) {
      member = object.stable_erase(member);
      continue;
    }
    if (is_known) write_below(member->value(), *field->second);
    ++member;
  }
}

}  // namespace dcm::apiserver
