#include "apiserver/definitions/structural.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/text/words.hpp"
#include "cel/regex.hpp"

namespace dcm::apiserver {

namespace {

std::string text(const JsonObject& schema, std::string_view name) {
  return std::string(text_at(schema, {name}));
}

std::optional<double> number(const JsonObject& schema, std::string_view name) {
  const Json* value = schema.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

std::vector<std::string> texts(const JsonObject& schema, std::string_view name) {
  std::vector<std::string> all;
  for (const Json& item : array_at(schema, {name})) {
    if (item.is_string()) all.emplace_back(view(item.get_string()));
  }
  return all;
}

std::vector<Structural> schemas(const JsonObject& schema, std::string_view name) {
  std::vector<Structural> all;
  for (const Json& item : array_at(schema, {name})) all.push_back(read_structural(as_object(item)));
  return all;
}

std::unique_ptr<Structural> nested(const Json* schema) {
  if (schema == nullptr || !schema->is_object()) return nullptr;
  return std::make_unique<Structural>(read_structural(schema->get_object()));
}

CountLimits limits(const JsonObject& schema, std::string_view min, std::string_view max) {
  return {integer_at(schema, {min}), integer_at(schema, {max})};
}

std::vector<RuleText> rules_of(const JsonObject& schema) {
  std::vector<RuleText> rules;
  for (const Json& item : array_at(schema, {"x-kubernetes-validations"})) {
    const JsonObject& rule = as_object(item);
    RuleText& read = rules.emplace_back(text(rule, "rule"), text(rule, "message"),
                                        text(rule, "messageExpression"), text(rule, "reason"),
                                        text(rule, "fieldPath"));
    const Json* const optional = rule.if_contains("optionalOldSelf");
    if (optional != nullptr && optional->is_bool()) read.optional_old_self = optional->get_bool();
  }
  return rules;
}

void read_additional(const JsonObject& schema, Structural& read) {
  const Json* const additional = schema.if_contains("additionalProperties");
  if (additional == nullptr) return;
  read.values = nested(additional);
  if (read.values != nullptr) {
    read.additional = Structural::Additional::typed;
  } else if (additional->is_bool()) {
    read.additional = additional->get_bool() ? Structural::Additional::allowed
                                             : Structural::Additional::forbidden;
  }
}

void read_shape(const JsonObject& schema, Structural& read) {
  read.items = nested(schema.if_contains("items"));
  for (const auto& [name, property] : object_at(schema, {"properties"})) {
    read.properties.emplace(name, read_structural(as_object(property)));
  }
  read_additional(schema, read);
  read.list_type = text(schema, "x-kubernetes-list-type");
  read.list_keys = texts(schema, "x-kubernetes-list-map-keys");
  read.map_type = text(schema, "x-kubernetes-map-type");
}

void read_constraints(const JsonObject& schema, Structural& read) {
  read.number = {number(schema, "maximum"), number(schema, "minimum"), number(schema, "multipleOf"),
                 has_true(schema, "exclusiveMaximum"), has_true(schema, "exclusiveMinimum")};
  read.characters = limits(schema, "minLength", "maxLength");
  read.item_count = limits(schema, "minItems", "maxItems");
  read.property_count = limits(schema, "minProperties", "maxProperties");
  read.pattern = text(schema, "pattern");
  if (auto regex = cel::Regex::compile(read.pattern); regex && !read.pattern.empty()) {
    read.regex = std::make_shared<const cel::Regex>(std::move(*regex));
  }
  const JsonArray& allowed = array_at(schema, {"enum"});
  if (!allowed.empty()) read.values_allowed.emplace(allowed.begin(), allowed.end());
  read.required = texts(schema, "required");
  read.all_of = schemas(schema, "allOf");
  read.any_of = schemas(schema, "anyOf");
  read.one_of = schemas(schema, "oneOf");
  read.none_of = nested(schema.if_contains("not"));
}

}  // namespace

std::string RuleText::shown_message() const {
  return message.empty() ? fmt::format("failed rule: {}", shown()) : std::string(trimmed(message));
}

std::string RuleText::shown() const {
  return std::string(trimmed(message.empty() ? rule : message));
}

const Structural* Structural::member(std::string_view name) const {
  if (const auto found = properties.find(name); found != properties.end()) return &found->second;
  return values.get();
}

namespace {

bool has_embedded_below(const Structural& schema) {
  return (schema.items != nullptr && schema.items->has_embedded) ||
         (schema.values != nullptr && schema.values->has_embedded) ||
         std::ranges::any_of(schema.properties,
                             [](const auto& property) { return property.second.has_embedded; });
}

}  // namespace

Structural read_structural(const JsonObject& schema) {
  Structural read;
  read.type = text(schema, "type");
  read.format = text(schema, "format");
  read.is_nullable = has_true(schema, "nullable");
  read.preserves_unknown = has_true(schema, "x-kubernetes-preserve-unknown-fields");
  read.is_int_or_string = has_true(schema, "x-kubernetes-int-or-string");
  read.is_embedded_resource = has_true(schema, "x-kubernetes-embedded-resource");
  const Json* const value = schema.if_contains("default");
  if (value != nullptr && !value->is_null()) read.default_value = *value;
  read_shape(schema, read);
  read_constraints(schema, read);
  read.rules = rules_of(schema);
  read.has_embedded = read.is_embedded_resource || has_embedded_below(read);
  return read;
}

bool has_unsupported(const JsonObject& schema) {
  constexpr std::string_view kNever[] = {"id",
                                         "$schema",
                                         "$ref",
                                         "definitions",
                                         "dependencies",
                                         "additionalItems",
                                         "patternProperties"};
  const auto is_there = [&](std::string_view name) { return schema.contains(name); };
  const Json* const items = schema.if_contains("items");
  const Json* const preserves = schema.if_contains("x-kubernetes-preserve-unknown-fields");
  if (std::ranges::any_of(kNever, is_there) || (items != nullptr && items->is_array()) ||
      (preserves != nullptr && *preserves == Json(false))) {
    return true;
  }
  const auto is_below = [](const Json& below) { return has_unsupported(as_object(below)); };
  for (const auto* name : {"items", "additionalProperties", "not"}) {
    if (const Json* const below = schema.if_contains(name); below != nullptr && is_below(*below)) {
      return true;
    }
  }
  for (const auto* name : {"allOf", "anyOf", "oneOf"}) {
    if (std::ranges::any_of(array_at(schema, {name}), is_below)) return true;
  }
  return std::ranges::any_of(object_at(schema, {"properties"}),
                             [&](const auto& property) { return is_below(property.value()); });
}

bool is_type_meta(std::string_view name) {
  return name == "apiVersion" || name == "kind";
}

bool is_meta(std::string_view name) {
  return is_type_meta(name) || name == "metadata";
}

}  // namespace dcm::apiserver
