#include "apiserver/definitions/typed_values.hpp"

#include "apiserver/text/cel_values.hpp"
#include "cel/time.hpp"
#include "runtime/base64.hpp"

namespace dcm::apiserver {

namespace {

// A property's name, given its name in expressions.
const Structural* find_property(const Structural& schema, std::string_view field,
                                std::string_view& name) {
  if (const auto found = schema.properties.find(field);
      found != schema.properties.end() && escaped(field) == field) {
    name = found->first;
    return &found->second;
  }
  if (!field.contains("__")) return nullptr;
  for (const auto& [property, known] : schema.properties) {
    if (escaped(property) != field) continue;
    name = property;
    return &known;
  }
  return nullptr;
}

// Precedes the name of a field that is not in the schema. Expressions cannot select it, but such
// fields take part in comparisons of objects.
constexpr char kOutsideSchema = '\0';

// An object with the fields of its schema.
class TypedObject final : public cel::Map {
 public:
  TypedObject(const JsonObject* object, const Structural* schema, IsResource resource)
      : object_(object), schema_(schema), resource_(resource) {}

  std::size_t size() const override { return object_->size(); }

  // A field that is null is absent (k8s.io/apiserver pkg/cel/common/values.go).
  std::optional<cel::Value> find(cel::Value key, cel::Arena& arena) const override {
    const auto found = member(key, arena);
    return found && found->is(cel::Kind::null) ? std::nullopt : found;
  }

  std::optional<cel::Value> member(cel::Value key, cel::Arena& arena) const override {
    if (!key.is(cel::Kind::string)) return std::nullopt;
    std::string_view name = key.as_text();
    if (name.starts_with(kOutsideSchema)) {
      const Json* const value = object_->if_contains(name.substr(1));
      return value == nullptr ? std::nullopt : std::optional(cel_value(*value, arena));
    }
    if (resource_ == IsResource::yes && is_meta(name)) {
      const Json* const value = object_->if_contains(name);
      return value == nullptr ? std::nullopt : std::optional(cel_value(*value, arena));
    }
    const Structural* const known = find_property(*schema_, name, name);
    const Json* const value = known == nullptr ? nullptr : object_->if_contains(name);
    if (value == nullptr) return std::nullopt;
    return typed_value(*value, *known, resource_of(*known), arena);
  }

  Entry entry(std::size_t index, cel::Arena& arena) const override {
    const std::string_view name = (object_->begin() + static_cast<std::ptrdiff_t>(index))->key();
    const bool is_selectable =
        schema_->properties.contains(name) || (resource_ == IsResource::yes && is_meta(name));
    const auto selected = is_selectable ? escaped(name) : std::nullopt;
    const cel::Value key = cel::Value::string(
        arena.copy(selected.value_or(std::string(1, kOutsideSchema).append(name))));
    return {key, member(key, arena).value_or(cel::Value())};
  }

 private:
  const JsonObject* object_;
  const Structural* schema_;
  IsResource resource_;
};

// A map with any keys.
class TypedMap final : public cel::Map {
 public:
  TypedMap(const JsonObject* object, const Structural* values) : object_(object), values_(values) {}

  std::size_t size() const override { return object_->size(); }

  std::optional<cel::Value> find(cel::Value key, cel::Arena& arena) const override {
    if (!key.is(cel::Kind::string)) return std::nullopt;
    const Json* const value = object_->if_contains(key.as_text());
    if (value == nullptr) return std::nullopt;
    return typed_value(*value, *values_, resource_of(*values_), arena);
  }

  Entry entry(std::size_t index, cel::Arena& arena) const override {
    const auto& member = *(object_->begin() + static_cast<std::ptrdiff_t>(index));
    return {cel::Value::string(member.key()),
            typed_value(member.value(), *values_, resource_of(*values_), arena)};
  }

 private:
  const JsonObject* object_;
  const Structural* values_;
};

cel::Value typed_text(std::string_view text, const Structural& schema, cel::Arena& arena) {
  const auto parsed = [&](std::optional<cel::Value> value) {
    return value ? *value : cel::make_error(arena, "Invalid ", schema.format, " ", text);
  };
  if (schema.format == "duration") return parsed(cel::parse_duration(text));
  if (schema.format == "date-time") return parsed(cel::parse_timestamp(text));
  if (schema.format == "date") {
    return parsed(cel::parse_timestamp(std::string(text) + "T00:00:00Z"));
  }
  if (schema.format != "byte") return cel::Value::string(text);
  const auto bytes = runtime::decode_base64(text);
  return parsed(bytes ? std::optional(cel::Value::bytes(arena.copy(*bytes))) : std::nullopt);
}

cel::Value typed_list(const JsonArray& array, const Structural& schema, cel::Arena& arena) {
  auto* const values = arena.array<cel::Value>(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    values[i] = schema.items == nullptr
                    ? cel_value(array[i], arena)
                    : typed_value(array[i], *schema.items, resource_of(*schema.items), arena);
  }
  const std::span<const cel::Value> items{values, array.size()};
  return schema.list_type == "set" || schema.list_type == "map"
             ? cel::adopt_unordered_list(items, arena)
             : cel::adopt_list(items, arena);
}

// As Go's %T shows a decoded value.
std::string_view go_type_of(const Json& value) {
  if (value.is_bool()) return "bool";
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  return value.is_double() ? "float64" : "int64";
}

}  // namespace

cel::Value typed_value(const Json& json, const Structural& schema, IsResource resource,
                       cel::Arena& arena) {
  if (json.is_object() && !schema.is_int_or_string) {
    const JsonObject* const object = &json.get_object();
    if (schema.has_values() && resource == IsResource::no) {
      return cel::Value::map(arena.make<TypedMap>(object, schema.values.get()));
    }
    return cel::Value::map(arena.make<TypedObject>(object, &schema, resource));
  }
  if (schema.is_int_or_string && !json.is_string() && !json.is_int64() && !json.is_null()) {
    return cel::make_error(
        arena, "invalid data, expected XIntOrString value to be either a string or integer");
  }
  if (schema.type == "string" && !json.is_string() && !json.is_null()) {
    return cel::make_error(arena, "invalid data, expected string, got ", go_type_of(json));
  }
  if (json.is_array()) return typed_list(json.get_array(), schema, arena);
  if (json.is_string() && !schema.is_int_or_string) {
    return typed_text(view(json.get_string()), schema, arena);
  }
  if (schema.type == "number" && json.is_number()) {
    return cel::Value::real(json.to_number<double>());
  }
  return cel_value(json, arena);
}

}  // namespace dcm::apiserver
