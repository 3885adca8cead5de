#include "apiserver/definitions/schema_writing.hpp"

#include <map>

namespace dcm::apiserver {

namespace {

// How a member of a JSONSchemaProps is written.
enum class Member { plain, pointer, free_form, schema, schemas, schema_map };

const std::map<std::string_view, Member>& schema_members() {
  using enum Member;
  static const std::map<std::string_view, Member> kMembers = {
      {"id", plain},
      {"$schema", plain},
      {"$ref", pointer},
      {"description", plain},
      {"type", plain},
      {"format", plain},
      {"title", plain},
      {"default", free_form},
      {"maximum", pointer},
      {"exclusiveMaximum", plain},
      {"minimum", pointer},
      {"exclusiveMinimum", plain},
      {"maxLength", pointer},
      {"minLength", pointer},
      {"pattern", plain},
      {"maxItems", pointer},
      {"minItems", pointer},
      {"uniqueItems", plain},
      {"multipleOf", pointer},
      {"enum", plain},
      {"maxProperties", pointer},
      {"minProperties", pointer},
      {"required", plain},
      {"items", schema},
      {"allOf", schemas},
      {"oneOf", schemas},
      {"anyOf", schemas},
      {"not", schema},
      {"properties", schema_map},
      {"additionalProperties", schema},
      {"patternProperties", schema_map},
      {"dependencies", plain},
      {"additionalItems", schema},
      {"definitions", schema_map},
      {"externalDocs", plain},
      {"example", free_form},
      {"nullable", plain},
      {"x-kubernetes-preserve-unknown-fields", pointer},
      {"x-kubernetes-embedded-resource", plain},
      {"x-kubernetes-int-or-string", plain},
      {"x-kubernetes-list-map-keys", plain},
      {"x-kubernetes-list-type", pointer},
      {"x-kubernetes-map-type", pointer},
      {"x-kubernetes-validations", plain},
  };
  return kMembers;
}

bool is_zero(const Json& value) {
  if (value.is_null() || value == Json(false) || value == Json("")) return true;
  if (value.is_array()) return value.get_array().empty();
  return value.is_object() && value.get_object().empty();
}

void write_schema(JsonObject& schema);

void write_if_schema(Json& value) {
  if (value.is_object()) write_schema(value.get_object());
}

void write_member(Json& value, Member how) {
  if (how == Member::schema) write_if_schema(value);
  if (how == Member::schemas && value.is_array()) {
    for (Json& one : value.get_array()) write_if_schema(one);
  }
  if (how == Member::schema_map && value.is_object()) {
    for (auto& [name, one] : value.get_object()) write_if_schema(one);
  }
}

bool is_written(const Json& value, Member how) {
  if (value.is_null()) return false;
  const bool is_always =
      how == Member::pointer || how == Member::free_form || how == Member::schema;
  return is_always || !is_zero(value);
}

void write_schema(JsonObject& schema) {
  JsonObject written;
  for (auto& [name, value] : schema) {
    const auto how = schema_members().find(name);
    if (how == schema_members().end() || !is_written(value, how->second)) continue;
    write_member(value, how->second);
    written[name] = std::move(value);
  }
  schema = std::move(written);
}

void drop_zeros(JsonObject& object, std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    const Json* const value = object.if_contains(name);
    if (value != nullptr && is_zero(*value)) object.stable_erase(name);
  }
}

void drop_nulls_of(JsonObject& object) {
  JsonObject kept;
  for (auto& [name, value] : object) {
    if (!value.is_null()) kept[name] = std::move(value);
  }
  object = std::move(kept);
}

void write_version(JsonObject& version) {
  drop_nulls_of(version);
  for (const auto* name : {"served", "storage"}) {
    if (!version.contains(name)) version[name] = false;
  }
  drop_zeros(version, {"deprecated", "additionalPrinterColumns", "selectableFields"});
  Json* const schema = find(version, {"schema", "openAPIV3Schema"});
  if (schema != nullptr) write_if_schema(*schema);
  if (version.contains("schema")) drop_nulls_of(child(version, "schema"));
  if (version.contains("subresources")) drop_nulls_of(child(version, "subresources"));
  for_each_object(version.if_contains("additionalPrinterColumns"), [](JsonObject& column) {
    drop_zeros(column, {"format", "description"});
    Json* const priority = column.if_contains("priority");
    if (priority != nullptr && *priority == Json(0)) column.stable_erase("priority");
  });
}

}  // namespace

void write_definition_as_go(JsonObject& definition) {
  JsonObject& spec = child(definition, "spec");
  drop_nulls_of(spec);
  drop_zeros(spec, {"preserveUnknownFields"});
  for (const auto* name : {"group", "scope"}) {
    if (!spec.contains(name)) spec[name] = "";
  }
  JsonObject& names = child(spec, "names");
  drop_zeros(names, {"singular", "listKind", "shortNames", "categories"});
  for (const auto* name : {"plural", "kind"}) {
    if (!names.contains(name)) names[name] = "";
  }
  if (!spec.contains("versions")) spec["versions"] = nullptr;
  Json* const versions = spec.if_contains("versions");
  if (!versions->is_array()) return;
  for (Json& version : versions->get_array()) {
    if (version.is_object()) write_version(version.get_object());
  }
}

}  // namespace dcm::apiserver
