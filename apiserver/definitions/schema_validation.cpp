#include "apiserver/definitions/schema_validation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/embedded.hpp"
#include "apiserver/definitions/field_path.hpp"
#include "apiserver/definitions/rules.hpp"
#include "apiserver/definitions/shaping.hpp"
#include "apiserver/definitions/structural_rules.hpp"
#include "apiserver/definitions/value_validation.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

bool flag(const JsonObject& schema, std::string_view name) {
  const Json* const value = schema.if_contains(name);
  return value != nullptr && *value == Json(true);
}

std::string property_path(const std::string& path, std::string_view name) {
  return fmt::format("{}.properties[{}]", path, name);
}

// Defaults must satisfy their schemas, and have only known fields.
void validate_defaults(const Structural& schema, const std::string& path, Causes& causes) {
  if (schema.default_value) {
    const std::string field = path + ".default";
    Json pruned = *schema.default_value;
    if (pruned.is_object()) {
      prune(pruned.get_object(), schema,
            schema.is_embedded_resource ? Root::resource : Root::value);
    }
    if (pruned != *schema.default_value) {
      causes.push_back(invalid_value(field, *schema.default_value, "must not have unknown fields"));
    }
    const std::size_t before = causes.size();
    validate_embedded(*schema.default_value, schema, field, causes);
    if (causes.size() == before)
      validate_value(*schema.default_value, nullptr, schema, field, causes);
  }
  if (schema.items != nullptr) validate_defaults(*schema.items, path + ".items", causes);
  for (const auto& [name, property] : schema.properties) {
    validate_defaults(property, property_path(path, name), causes);
  }
}

// What is allowed below a schema depends on its position.
struct Place {
  bool is_root = false;
  bool is_in_metadata = false;
  std::string no_default_because = {};  // "": defaults are allowed
};

class Checker {
 public:
  explicit Checker(Causes& causes) : causes_(causes) {}

  void schema(const JsonObject& schema, const std::string& path, const Place& place) {
    standard(schema, path, place);
    if (flag(schema, "uniqueItems")) {
      forbid(path, "uniqueItems",
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    additional(schema, path, place);
    properties(schema, path, place);
    if (has(schema, {"not"})) nested(object_at(schema, {"not"}), path + ".not", place);
    for (const auto* name : {"allOf", "oneOf", "anyOf"}) {
      std::size_t index = 0;
      for (const Json& one : array_at(schema, {name})) {
        nested(as_object(one), indexed(fmt::format("{}.{}", path, name), index++), place);
      }
    }
    if (has(schema, {"items"})) nested(object_at(schema, {"items"}), path + ".items", place);
    extensions(schema, path);
    list_keys(schema, path);
    items_of_lists(schema, path);
    rules(schema, path);
  }

 private:
  void forbid(const std::string& path, std::string_view name, std::string_view why) {
    causes_.push_back(forbidden_value(fmt::format("{}.{}", path, name), why));
  }

  void nested(const JsonObject& schema, const std::string& path, Place place) {
    place.is_root = false;
    this->schema(schema, path, place);
  }

  void standard(const JsonObject& schema, const std::string& path, const Place& place) {
    constexpr std::string_view kTypes[] = {"array",  "boolean", "integer",
                                           "number", "object",  "string"};
    const std::string_view type = text_at(schema, {"type"});
    if (!type.empty() && std::ranges::find(kTypes, type) == std::end(kTypes)) {
      causes_.push_back(
          not_supported(path + ".type", Json(type),
                        {"array", "boolean", "integer", "number", "object", "string"}));
    }
    if (has(schema, {"default"}) && !place.no_default_because.empty()) {
      forbid(path, "default", "must not be set " + place.no_default_because);
    }
    if (!text_at(schema, {"id"}).empty()) forbid(path, "id", "id is not supported");
    for (const auto* name :
         {"additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      if (schema.contains(name)) forbid(path, name, fmt::format("{} is not supported", name));
    }
    if (type == "null") {
      forbid(path, "type", "type cannot be set to null, use nullable as an alternative");
    }
    const Json* const items = schema.if_contains("items");
    if (items != nullptr && items->is_array()) {
      forbid(path, "items", "items must be a schema object and not an array");
    }
    if (place.is_in_metadata && flag(schema, "x-kubernetes-embedded-resource")) {
      forbid(path, "x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
  }

  void additional(const JsonObject& schema, const std::string& path, Place place) {
    const Json* const additional = schema.if_contains("additionalProperties");
    if (additional == nullptr) return;
    const bool is_plain = *additional == Json(true);
    if (!object_at(schema, {"properties"}).empty() && !is_plain) {
      forbid(path, "additionalProperties",
             "additionalProperties and properties are mutual exclusive");
    }
    if (place.is_in_metadata) {
      place.no_default_because = "inside additionalProperties applying to object metadata";
    }
    if (additional->is_object()) {
      nested(additional->get_object(), path + ".additionalProperties", place);
    }
  }

  void properties(const JsonObject& schema, const std::string& path, const Place& place) {
    const bool is_resource = place.is_root || flag(schema, "x-kubernetes-embedded-resource");
    for (const auto& [name, property] : object_at(schema, {"properties"})) {
      Place below = place;
      below.is_root = false;
      if (is_resource && is_meta(name)) {
        below.is_in_metadata = true;
        if (place.is_root) {
          below.no_default_because = fmt::format("in top-level {}", std::string_view(name));
        }
      }
      nested(as_object(property), property_path(path, name), below);
    }
  }

  // A member that needs a type of the schema.
  void require_type(const JsonObject& schema, const std::string& path, std::string_view name,
                    std::string_view type) {
    const std::string_view found = text_at(schema, {"type"});
    if (!has(schema, {name}) || found == type) return;
    const std::string why = fmt::format("must be {} if {} is specified", type, name);
    causes_.push_back(found.empty() ? required_value(path + ".type", why)
                                    : invalid_value(path + ".type", Json(found), why));
  }

  void extensions(const JsonObject& schema, const std::string& path) {
    const Json* const preserves = schema.if_contains("x-kubernetes-preserve-unknown-fields");
    if (preserves != nullptr && *preserves == Json(false)) {
      causes_.push_back(invalid_value(path + ".x-kubernetes-preserve-unknown-fields", *preserves,
                                      "must be true or undefined"));
    }
    require_type(schema, path, "x-kubernetes-map-type", "object");
    const std::string_view map_type = text_at(schema, {"x-kubernetes-map-type"});
    if (has(schema, {"x-kubernetes-map-type"}) && map_type != "atomic" && map_type != "granular") {
      causes_.push_back(
          not_supported(path + ".x-kubernetes-map-type", Json(map_type), {"atomic", "granular"}));
    }
    require_type(schema, path, "x-kubernetes-list-type", "array");
    const std::string_view list_type = text_at(schema, {"x-kubernetes-list-type"});
    if (list_type == "set" && text_at(schema, {"type"}) == "array") set_items(schema, path);
    if (has(schema, {"x-kubernetes-list-type"}) && list_type != "atomic" && list_type != "set" &&
        list_type != "map") {
      causes_.push_back(not_supported(path + ".x-kubernetes-list-type", Json(list_type),
                                      {"atomic", "set", "map"}));
    }
  }

  void set_items(const JsonObject& schema, const std::string& path) {
    const JsonObject& items = object_at(schema, {"items"});
    constexpr auto kWhy = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const std::string_view type = text_at(items, {"type"});
    const std::string_view list = text_at(items, {"x-kubernetes-list-type"});
    if (type == "array" && !list.empty() && list != "atomic") {
      causes_.push_back(invalid_value(path + ".items.x-kubernetes-list-type", Json(list), kWhy));
    }
    if (type == "object" && text_at(items, {"x-kubernetes-map-type"}) != "atomic") {
      causes_.push_back(invalid_value(path + ".items.x-kubernetes-map-type", nullptr, kWhy));
    }
  }

  void list_keys(const JsonObject& schema, const std::string& path) {
    const JsonArray& keys = array_at(schema, {"x-kubernetes-list-map-keys"});
    const std::string_view type = text_at(schema, {"x-kubernetes-list-type"});
    const std::string keys_path = path + ".x-kubernetes-list-map-keys";
    if (!keys.empty() && type != "map") {
      constexpr auto kWhy = "must be map if x-kubernetes-list-map-keys is non-empty";
      const std::string field = path + ".x-kubernetes-list-type";
      causes_.push_back(type.empty() ? required_value(field, kWhy)
                                     : invalid_value(field, Json(type), kWhy));
    }
    if (type != "map") return;
    if (keys.empty()) {
      causes_.push_back(
          required_value(keys_path, "must not be empty if x-kubernetes-list-type is map"));
    }
    if (!has(schema, {"items"})) {
      causes_.push_back(
          required_value(path + ".items", "must have a schema if x-kubernetes-list-type is map"));
      return;
    }
    const std::string_view item_type = text_at(schema, {"items", "type"});
    if (item_type != "object") {
      causes_.push_back(
          invalid_value(path + ".items.type", Json(item_type),
                        "must be object if parent array's x-kubernetes-list-type is map"));
      return;
    }
    std::set<std::string_view> seen;
    for (const Json& key : keys) one_list_key(schema, path, keys, key, seen);
  }

  void one_list_key(const JsonObject& schema, const std::string& path, const JsonArray& keys,
                    const Json& key, std::set<std::string_view>& seen) {
    const std::string_view name = key.is_string() ? view(key.get_string()) : "";
    const std::string keys_path = path + ".x-kubernetes-list-map-keys";
    if (!has(schema, {"items", "properties", name})) {
      causes_.push_back(
          invalid_value(keys_path, keys, "entries must all be names of item properties"));
    } else if (const std::string_view type = text_at(schema, {"items", "properties", name, "type"});
               type == "array" || type == "object") {
      causes_.push_back(
          invalid_value(property_path(path + ".items", name) + ".type", Json("object"),
                        "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    if (!seen.insert(name).second) {
      causes_.push_back(invalid_value(keys_path, keys, "must not contain duplicate entries"));
    }
  }

  void items_of_lists(const JsonObject& schema, const std::string& path) {
    const std::string_view type = text_at(schema, {"x-kubernetes-list-type"});
    const JsonObject& items = object_at(schema, {"items"});
    if ((type != "set" && type != "map") || items.empty()) return;
    if (flag(items, "nullable")) {
      forbid(path, "items.nullable",
             fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type));
    }
    if (type == "set") return;
    const JsonArray& required = array_at(items, {"required"});
    for (const Json& key : array_at(schema, {"x-kubernetes-list-map-keys"})) {
      const std::string_view name = key.is_string() ? view(key.get_string()) : "";
      const JsonObject& property = object_at(items, {"properties", name});
      if (!has(items, {"properties", name})) continue;
      const std::string field = property_path(path + ".items", name);
      if (std::ranges::find(required, key) == required.end() && !has(property, {"default"})) {
        causes_.push_back(required_value(field + ".default",
                                         "this property is in x-kubernetes-list-map-keys, so it "
                                         "must have a default or be a required property"));
      }
      if (flag(property, "nullable")) {
        forbid(field, "nullable",
               "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
      }
    }
  }

  void rules(const JsonObject& schema, const std::string& path) {
    std::size_t index = 0;
    for (const Json& item : array_at(schema, {"x-kubernetes-validations"})) {
      rule(schema, as_object(item), indexed(path + ".x-kubernetes-validations", index++));
    }
  }

  static bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
  }
  static bool has_line_break(std::string_view text) {
    while (!text.empty() && is_blank(text.substr(0, 1))) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.substr(text.size() - 1))) text.remove_suffix(1);
    return text.find_first_of("\n\r") != std::string_view::npos;
  }

  void rule(const JsonObject& schema, const JsonObject& rule, const std::string& path) {
    const std::string_view text = text_at(rule, {"rule"});
    const std::string_view message = text_at(rule, {"message"});
    if (is_blank(text)) {
      causes_.push_back(required_value(path + ".rule", "rule is not specified"));
    } else if (!message.empty() && is_blank(message)) {
      causes_.push_back(
          invalid_value(path + ".message", Json(message), "must be non-empty if specified"));
    } else if (has_line_break(message)) {
      causes_.push_back(
          invalid_value(path + ".message", Json(message), "must not contain line breaks"));
    } else if (has_line_break(text) && is_blank(message)) {
      causes_.push_back(required_value(path + ".message",
                                       "message must be specified if rule contains line breaks"));
    }
    const std::string_view expression = text_at(rule, {"messageExpression"});
    if (!expression.empty() && is_blank(expression)) {
      causes_.push_back(required_value(path + ".messageExpression",
                                       "messageExpression must be non-empty if specified"));
    }
    reason_and_path(schema, rule, path);
  }

  void reason_and_path(const JsonObject& schema, const JsonObject& rule, const std::string& path) {
    const std::string_view reason = text_at(rule, {"reason"});
    constexpr std::string_view kReasons[] = {"FieldValueDuplicate", "FieldValueForbidden",
                                             "FieldValueInvalid", "FieldValueRequired"};
    if (has(rule, {"reason"}) && std::ranges::find(kReasons, reason) == std::end(kReasons)) {
      causes_.push_back(not_supported(path + ".reason", Json(reason),
                                      {"FieldValueDuplicate", "FieldValueForbidden",
                                       "FieldValueInvalid", "FieldValueRequired"}));
    }
    const std::string_view field = text_at(rule, {"fieldPath"});
    if (field.empty()) return;
    const auto refuse = [&](std::string_view why) {
      causes_.push_back(invalid_value(path + ".fieldPath", Json(field), why));
    };
    if (is_blank(field)) refuse("must be non-empty if specified");
    if (field.find_first_of("\n\r") != std::string_view::npos)
      refuse("must not contain line breaks");
    if (!find_field(field, read_structural(schema), ArrayNotation::accepted)) {
      refuse("must be a valid path");
    }
  }

  Causes& causes_;
};

// With a separate status, what the root says about the whole would not hold for it.
void validate_root(const JsonObject& schema, const std::string& path, Causes& causes) {
  constexpr std::string_view kForbidden[] = {"id",
                                             "$schema",
                                             "$ref",
                                             "default",
                                             "enum",
                                             "maxProperties",
                                             "minProperties",
                                             "allOf",
                                             "oneOf",
                                             "anyOf",
                                             "not",
                                             "additionalProperties",
                                             "patternProperties",
                                             "dependencies",
                                             "additionalItems",
                                             "definitions",
                                             "nullable",
                                             "x-kubernetes-embedded-resource",
                                             "x-kubernetes-int-or-string",
                                             "x-kubernetes-list-map-keys",
                                             "x-kubernetes-list-type",
                                             "x-kubernetes-map-type"};
  const std::string_view type = text_at(schema, {"type"});
  if (!type.empty() && type != "object") {
    causes.push_back(invalid_value(path + ".openAPIV3Schema.type", Json(type),
                                   "only \"object\" is allowed as the type at the root of the "
                                   "schema if the status subresource is enabled"));
    return;
  }
  if (std::ranges::none_of(kForbidden,
                           [&](std::string_view name) { return schema.contains(name); })) {
    return;
  }
  causes.push_back(invalid_value(
      path + ".openAPIV3Schema", schema,
      "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
      "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
      "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at "
      "the root of the schema if the status subresource is enabled"));
}

}  // namespace

void validate_schema(const JsonObject& schema, const std::string& path, StatusIs status,
                     Causes& causes) {
  const std::string root = path + ".openAPIV3Schema";
  if (status == StatusIs::apart) validate_root(schema, path, causes);
  if (flag(schema, "nullable")) {
    causes.push_back(forbidden_value(root + ".nullable", "nullable cannot be true at the root"));
  }
  const std::size_t before = causes.size();
  const Structural structural = read_structural(schema);
  validate_structural(schema, root, causes);
  if (causes.size() == before) validate_defaults(structural, root, causes);
  Checker(causes).schema(schema, root, {.is_root = true});
  // Rules do not report a schema's errors again.
  if (causes.size() == before) validate_rules(structural, root, causes);
}

}  // namespace dcm::apiserver
