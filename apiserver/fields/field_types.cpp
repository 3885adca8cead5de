#include "apiserver/fields/field_types.hpp"

#include <deque>

#include "apiserver/front/openapi_schemas.hpp"
#include "apiserver/text/json.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

using Kind = FieldType::Kind;

constexpr std::string_view kReference = "#/components/schemas/";
constexpr std::string_view kGroupVersionKind = "x-kubernetes-group-version-kind";

// "io.k8s.api.core.v1.PodSpec" → "v1.PodSpec".
std::string short_name(std::string_view name) {
  const auto kind = name.rfind('.');
  const auto version = name.rfind('.', kind - 1);
  return std::string(name.substr(version + 1));
}

// The types of one document.
class Types {
 public:
  explicit Types(std::string_view api_version) {
    std::string problem;
    auto parsed = parse("{" + std::string(openapi_schemas(api_version)) + "}", problem);
    DCM_ASSERT(parsed && parsed->is_object());
    schemas_ = std::move(parsed->get_object());
    for (const auto& [name, schema] : schemas_) {
      for (const Json& gvk : array_at(schema.get_object(), {kGroupVersionKind})) {
        const JsonObject& shown = gvk.get_object();
        const std::string_view group = text_at(shown, {"group"});
        std::string version(group);
        if (!group.empty()) version += '/';
        version += text_at(shown, {"version"});
        if (version == api_version) kinds_[std::string(text_at(shown, {"kind"}))] = name;
      }
    }
  }

  const FieldType* of_kind(std::string_view kind) {
    const auto found = kinds_.find(kind);
    return found == kinds_.end() ? &any_ : referred(found->second);
  }

 private:
  const FieldType* referred(std::string_view name) {
    if (const auto known = named_.find(name); known != named_.end()) return known->second;
    FieldType& type = nodes_.emplace_back();
    named_.emplace(std::string(name), &type);  // before its fields: types may be recursive
    fill(type, object_at(schemas_, {name}));
    if (type.kind == Kind::object) type.name = short_name(name);
    return &type;
  }

  const FieldType* of_schema(const JsonObject& schema) {
    std::string_view reference = text_at(schema, {"$ref"});
    if (const JsonArray& all = array_at(schema, {"allOf"}); !all.empty()) {
      reference = text_at(all.front().get_object(), {"$ref"});
    }
    if (!reference.empty()) return referred(reference.substr(kReference.size()));
    FieldType& type = nodes_.emplace_back();
    fill(type, schema);
    return &type;
  }

  void fill(FieldType& type, const JsonObject& schema) {
    const std::string_view shape = text_at(schema, {"type"});
    const std::string_view format = text_at(schema, {"format"});
    if (shape == "string") type = {format == "date-time" ? Kind::time : Kind::text, "string"};
    if (shape == "boolean") type = {Kind::boolean, "bool"};
    if (shape == "number") type = {Kind::number, "float64"};
    if (shape == "integer") type = {Kind::integer, std::string(format)};
    if (format == "int-or-string") type = {Kind::int_or_string, "intstr.IntOrString"};
    // Nothing else is published as one of several.
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

  JsonObject schemas_;
  std::map<std::string, std::string, std::less<>> kinds_;
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
