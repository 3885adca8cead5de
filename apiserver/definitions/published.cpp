#include "apiserver/definitions/published.hpp"

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/schemas/published_schemas.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

// "example.com", "v1", "Widget" → "com.example.v1.Widget".
std::string schema_name(const ResourceType& type) {
  std::string name;
  std::string_view rest = type.group;
  while (true) {
    const auto dot = rest.rfind('.');
    name += fmt::format("{}.", rest.substr(dot == std::string_view::npos ? 0 : dot + 1));
    if (dot == std::string_view::npos) break;
    rest = rest.substr(0, dot);
  }
  return fmt::format("{}{}.{}", name, type.versions.front(), type.kind);
}

void collect_referred(const Json& schema, const PublishedSchemas& all, JsonObject& found);

void add_named(std::string_view name, const PublishedSchemas& all, JsonObject& found) {
  if (found.contains(name)) return;
  found[name] = all.named(name);
  collect_referred(found.at(name), all, found);
}

void collect_referred(const Json& schema, const PublishedSchemas& all, JsonObject& found) {
  if (schema.is_array()) {
    for (const Json& one : schema.get_array()) collect_referred(one, all, found);
  }
  if (!schema.is_object()) return;
  const JsonObject copy = schema.get_object();  // `found` may move what it holds
  if (const auto name = PublishedSchemas::referred(copy); !name.empty()) {
    add_named(std::string(name), all, found);
  }
  for (const auto& [key, member] : copy) {
    if (member.is_structured()) collect_referred(member, all, found);
  }
}

// Adds the members that each resource has, whatever its schema says.
void add_meta(JsonObject& schema) {
  const JsonObject& pod = PublishedSchemas::of("v1").named("io.k8s.api.core.v1.Pod");
  JsonObject properties = object_at(schema, {"properties"});
  for (const auto* name : {"apiVersion", "kind", "metadata"}) {
    JsonObject shown = object_at(pod, {"properties", name});
    shown.erase("default");
    properties[name] = std::move(shown);
  }
  schema["properties"] = std::move(properties);
}

// The descriptions and requirements of pkg/controller/openapi/builder.
void add_embedded_meta(JsonObject& schema) {
  constexpr std::string_view kConventions =
      "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/"
      "api-conventions.md";
  add_meta(schema);
  child(child(schema, "properties"), "apiVersion")["description"] = fmt::format(
      "apiVersion defines the versioned schema of this representation of an object. {}#resources",
      kConventions);
  child(child(schema, "properties"), "kind")["description"] = fmt::format(
      "kind is a string value representing the type of this object. In CamelCase. {}#types-kinds",
      kConventions);
  for (const auto* name : {"kind", "apiVersion"}) add_once(child_list(schema, "required"), name);
}

void add_meta_to_embedded(JsonObject& schema) {
  if (has_true(schema, "x-kubernetes-embedded-resource")) add_embedded_meta(schema);
  for (auto& [name, member] : schema) {
    if (name == "properties" && member.is_object()) {
      for (auto& [property, one] : member.get_object()) {
        if (one.is_object()) add_meta_to_embedded(one.get_object());
      }
    } else if ((name == "items" || name == "additionalProperties") && member.is_object()) {
      add_meta_to_embedded(member.get_object());
    }
  }
}

JsonObject published(const ResourceType& type) {
  JsonObject schema = defined_kind(type).published;
  add_meta_to_embedded(schema);
  add_meta(schema);
  schema["x-kubernetes-group-version-kind"] = JsonArray{
      JsonObject{{"group", type.group}, {"kind", type.kind}, {"version", type.versions.front()}}};
  JsonArray selectable;
  for (const SelectableField& field : defined_kind(type).selectable) {
    selectable.push_back(JsonObject{{"fieldPath", field.name}});
  }
  if (!selectable.empty()) schema["x-kubernetes-selectable-fields"] = std::move(selectable);
  return schema;
}

}  // namespace

JsonObject published_schemas(const ResourceTable& types, std::string_view group,
                             std::string_view version) {
  JsonObject schemas;
  for (const ResourceType& type : types.types()) {
    if (type.defined == nullptr || type.group != group || !type.serves(version)) continue;
    schemas[schema_name(type)] = published(type);
  }
  if (!schemas.empty()) add_named(kMeta, PublishedSchemas::of("v1"), schemas);
  return schemas;
}

}  // namespace dcm::apiserver
