#include "apiserver/front/openapi_v2.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/published.hpp"
#include "apiserver/front/openapi_paths.hpp"
#include "apiserver/schemas/openapi_schemas.hpp"
#include "apiserver/schemas/published_schemas.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

enum class Origin { built_in, defined };

// Version 2 has none of these.
bool is_left_out(std::string_view key) {
  constexpr std::string_view kLeftOut[] = {"default", "nullable", "allOf", "anyOf",
                                           "oneOf",   "not",      "$ref"};
  return std::ranges::find(kLeftOut, key) != std::end(kLeftOut);
}

// Readers of version 2 (kubectl's) treat a field as required, or its listed contents as complete,
// even if its schema allows null or unknown members: k8s.io/apiextensions-apiserver
// pkg/controller/openapi/v2.
void loosen(const JsonObject& schema, JsonObject& shown) {
  const bool is_nullable = has_true(schema, "nullable");
  const bool is_open = has_true(schema, "x-kubernetes-preserve-unknown-fields");
  if (is_nullable) shown.erase("type");
  if (is_nullable || is_open) {
    shown.erase("items");
    shown.erase("properties");
  }
  const std::string type(text_at(shown, {"type"}));
  if (type == "array" && !shown.contains("items")) shown.erase("type");
  if (type == "object" && is_open) shown.erase("type");
  if (has_true(object_at(schema, {"additionalProperties"}), "nullable")) shown.erase("required");
  if (!shown.contains("required")) return;
  JsonArray required;
  for (const Json& name : array_at(shown, {"required"})) {
    const bool may_be_null =
        name.is_string() &&
        has_true(object_at(schema, {"properties", view(name.get_string())}), "nullable");
    if (!may_be_null || !shown.contains("properties")) required.push_back(name);
  }
  if (required.empty()) {
    shown.erase("required");
  } else {
    shown["required"] = std::move(required);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema, which is bounded
JsonObject converted(const JsonObject& schema, Origin origin) {
  JsonObject shown;
  for (const auto& [key, value] : schema) {
    if (is_left_out(key)) continue;
    if (key == "properties" && value.is_object()) {
      JsonObject properties;
      for (const auto& [name, property] : value.get_object()) {
        properties[name] = converted(as_object(property), origin);
      }
      shown[key] = std::move(properties);
    } else if ((key == "items" || key == "additionalProperties") && value.is_object()) {
      shown[key] = converted(value.get_object(), origin);
    } else {
      shown[key] = value;
    }
  }
  if (const auto name = PublishedSchemas::referred(schema); !name.empty()) {
    shown["$ref"] = fmt::format("#/definitions/{}", name);
  }
  // Quantities and the like: a string, or a number read as one.
  if (origin == Origin::built_in && schema.contains("oneOf")) shown["type"] = "string";
  if (origin == Origin::defined) loosen(schema, shown);
  return shown;
}

// For a kind that keeps all fields, no schema is given: readers would take it as complete.
JsonObject definition(const JsonObject& schema, Origin origin) {
  if (origin == Origin::defined && has_true(schema, "x-kubernetes-preserve-unknown-fields")) {
    constexpr auto kKind = "x-kubernetes-group-version-kind";
    return {{"type", "object"}, {kKind, schema.at(kKind)}};
  }
  return converted(schema, origin);
}

void add_built_in(JsonObject& definitions, std::string_view api_version) {
  std::string problem;
  const auto schemas = parse(fmt::format("{{{}}}", openapi_schemas(api_version)), problem);
  DCM_ASSERT(schemas.has_value());
  for (const auto& [name, schema] : schemas->get_object()) {
    if (!definitions.contains(name)) {
      definitions[name] = definition(as_object(schema), Origin::built_in);
    }
  }
}

// Adds the defined kinds of a group version, with the built-in schema of their metadata.
void add_defined(JsonObject& definitions, const ResourceTable& types, std::string_view group,
                 std::string_view version) {
  for (const auto& [name, schema] : published_schemas(types, group, version)) {
    const bool is_built_in = std::string_view(name).starts_with("io.k8s.apimachinery.");
    if (definitions.contains(name)) continue;
    definitions[name] =
        definition(as_object(schema), is_built_in ? Origin::built_in : Origin::defined);
  }
}

}  // namespace

std::string openapi_v2(const ResourceTable& types, const std::string& server_version) {
  JsonObject paths;
  JsonObject definitions;
  std::set<std::pair<std::string, bool>> done;
  for (const ResourceType& type : types.types()) {
    for (const std::string& version : type.versions) {
      add_openapi_paths(paths, type, version, OpenApi::v2);
      const std::string api_version = type.api_version(version);
      const bool is_built_in = type.defined == nullptr;
      if (!done.emplace(api_version, is_built_in).second) continue;
      if (is_built_in) {
        add_built_in(definitions, api_version);
      } else {
        add_defined(definitions, types, type.group, version);
      }
    }
  }
  return serialize(
      JsonObject{{"swagger", "2.0"},
                 {"info", JsonObject{{"title", "Kubernetes"}, {"version", server_version}}},
                 {"paths", std::move(paths)},
                 {"definitions", std::move(definitions)}});
}

}  // namespace dcm::apiserver
