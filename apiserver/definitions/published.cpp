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
  for (;;) {
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

// What each resource has, whatever its schema says.
void add_meta(JsonObject& schema) {
  const JsonObject& pod = PublishedSchemas::of("v1").named("io.k8s.api.core.v1.Pod");
  JsonObject properties = object_at(schema, {"properties"});
  for (const auto* name : {"apiVersion", "kind", "metadata"}) {
    properties[name] = object_at(pod, {"properties", name});
  }
  schema["properties"] = std::move(properties);
}

void add_meta_to_embedded(JsonObject& schema) {
  const Json* const is_embedded = schema.if_contains("x-kubernetes-embedded-resource");
  if (is_embedded != nullptr && *is_embedded == Json(true)) add_meta(schema);
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
