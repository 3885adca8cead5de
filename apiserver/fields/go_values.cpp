#include "apiserver/fields/go_values.hpp"

#include "cel/kubernetes/quantity.hpp"

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

void write_below(Json& value, const FieldType& type) {
  if (type.kind == Kind::quantity) {
    write_quantity(value);
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

}  // namespace

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
