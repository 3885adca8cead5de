#include "apiserver/schemas/field_types.hpp"

#include <deque>

#include "apiserver/schemas/published_schemas.hpp"

namespace dcm::apiserver {

namespace {

using Kind = FieldType::Kind;

// "io.k8s.api.core.v1.PodSpec" → "v1.PodSpec".
std::string short_name(std::string_view name) {
  const auto kind = name.rfind('.');
  const auto version = name.rfind('.', kind - 1);
  return std::string(name.substr(version + 1));
}

// The types of one document.
class Types {
 public:
  explicit Types(std::string_view api_version) : published_(PublishedSchemas::of(api_version)) {}

  const FieldType* of_kind(std::string_view kind) {
    const std::string_view name = published_.name_of_kind(kind);
    return name.empty() ? &any_ : referred(name);
  }

 private:
  const FieldType* referred(std::string_view name) {
    if (const auto known = named_.find(name); known != named_.end()) return known->second;
    FieldType& type = nodes_.emplace_back();
    named_.emplace(std::string(name), &type);  // stored before its fields: types may be recursive
    fill(type, published_.named(name));
    if (name.ends_with(".MicroTime")) type.kind = Kind::micro_time;
    if (type.kind == Kind::object) type.name = short_name(name);
    return &type;
  }

  const FieldType* of_schema(const JsonObject& schema) {
    const std::string_view name = PublishedSchemas::referred(schema);
    if (!name.empty()) return referred(name);
    FieldType& type = nodes_.emplace_back();
    fill(type, schema);
    return &type;
  }

  void fill(FieldType& type, const JsonObject& schema) {
    const std::string_view shape = text_at(schema, {"type"});
    const std::string_view format = text_at(schema, {"format"});
    if (shape == "string") type = {format == "date-time" ? Kind::time : Kind::text, "string"};
    if (shape == "string" && format == "byte") type = {Kind::bytes, "[]uint8"};
    if (shape == "boolean") type = {Kind::boolean, "bool"};
    if (shape == "number") type = {Kind::number, "float64"};
    if (shape == "integer") type = {Kind::integer, std::string(format)};
    if (format == "int-or-string") type = {Kind::int_or_string, "intstr.IntOrString"};
    // Nothing else is published with alternatives.
    if (format.empty() && schema.contains("oneOf")) type = {Kind::quantity, "resource.Quantity"};
    if (shape == "array") {
      const FieldType* element = of_schema(object_at(schema, {"items"}));
      type = {Kind::list, "[]" + element->name, element};
    }
    if (shape == "object") fill_object(type, schema);
  }

  void fill_object(FieldType& type, const JsonObject& schema) {
    if (const JsonObject& values = object_at(schema, {"additionalProperties"}); !values.empty()) {
      const FieldType* element = of_schema(values);
      type = {Kind::map, "map[string]" + element->name, element};
      return;
    }
    const JsonObject& properties = object_at(schema, {"properties"});
    if (properties.empty()) return;
    type.kind = Kind::object;
    for (const auto& [name, property] : properties) {
      type.fields.emplace(name, of_schema(property.get_object()));
    }
  }

  const PublishedSchemas& published_;
  std::map<std::string, const FieldType*, std::less<>> named_;
  std::deque<FieldType> nodes_;  // nodes point to each other, and never move
  FieldType any_;
};

}  // namespace

const FieldType& field_type(std::string_view api_version, std::string_view kind) {
  static std::map<std::string, Types, std::less<>> documents;
  auto found = documents.find(api_version);
  if (found == documents.end()) {
    found = documents.try_emplace(std::string(api_version), api_version).first;
  }
  return *found->second.of_kind(kind);
}

}  // namespace dcm::apiserver
