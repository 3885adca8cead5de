#include "apiserver/fields/empty_maps.hpp"

namespace dcm::apiserver {

namespace {

using Kind = FieldType::Kind;

void drop_below(Json& value, const FieldType& type) {
  if (type.kind == Kind::list && value.is_array()) {
    for (Json& item : value.get_array()) drop_below(item, *type.element);
  } else if (type.kind == Kind::map && value.is_object()) {
    for (auto& member : value.get_object()) drop_below(member.value(), *type.element);
  } else if (type.kind == Kind::object && value.is_object()) {
    drop_empty_maps(value.get_object(), type);
  }
}

bool is_empty_map(const Json& value, const FieldType& type) {
  return type.kind == Kind::map && value.is_object() && value.get_object().empty();
}

}  // namespace

void drop_empty_maps(JsonObject& object, const FieldType& type) {
  for (auto member = object.begin(); member != object.end();) {
    const auto field = type.fields.find(std::string_view(member->key()));
    const bool is_known = field != type.fields.end();
    if (is_known && is_empty_map(member->value(), *field->second)) {
      member = object.stable_erase(member);
      continue;
    }
    if (is_known) drop_below(member->value(), *field->second);
    ++member;
  }
}

}  // namespace dcm::apiserver
