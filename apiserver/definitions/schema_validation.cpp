#include "apiserver/definitions/schema_validation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/definitions/bounded_causes.hpp"
#include "apiserver/definitions/embedded.hpp"
#include "apiserver/definitions/list_types.hpp"
#include "apiserver/definitions/property_path.hpp"
#include "apiserver/definitions/rule_texts.hpp"
#include "apiserver/definitions/rules.hpp"
#include "apiserver/definitions/shaping.hpp"
#include "apiserver/definitions/structural_rules.hpp"
#include "apiserver/definitions/surroundings.hpp"
#include "apiserver/definitions/value_validation.hpp"
#include "apiserver/rules/checks.hpp"

namespace dcm::apiserver {

namespace {

// Defaults must satisfy their schemas and rules, and have only known fields.
class DefaultsChecker {
 public:
  Causes take() { return std::move(causes_).take(); }

  // `rules`: those of the schema; null if none.
  void check_root(const Structural& schema, const Rules* rules, const std::string& path) {
    check(schema, rules, path, {.root = &schema});
  }

 private:
  struct Place {
    const Structural* root;  // of the innermost resource around
    Surroundings steps = {};
    bool is_in_metadata = false;  // or in apiVersion or kind
  };

  void check(const Structural& schema, const Rules* rules, const std::string& path, Place place) {
    if (causes_.is_full()) return;
    if (schema.is_embedded_resource) place = {.root = &schema};
    if (schema.default_value) {
      check_value(*schema.default_value, schema, rules, path + ".default", place);
    }
    if (schema.items != nullptr) {
      check(*schema.items, rules == nullptr ? nullptr : rules->items(), path + ".items",
            {place.root, place.steps.item(), place.is_in_metadata});
    }
    for (const auto& [name, property] : schema.properties) {
      const bool is_of_resource = &schema == place.root && is_meta(name);
      check(property, rules == nullptr ? nullptr : rules->property(name), property_path(path, name),
            {place.root, place.steps.member(name), place.is_in_metadata || is_of_resource});
    }
  }

  // Why the default is no part of a resource's metadata; "" if it is.
  static std::string problem_in_metadata(const Json& value, const Place& place) {
    Json object = place.steps.around(value);
    object.get_object().emplace("kind", "Validation");
    object.get_object().emplace("apiVersion", "validation/v1");
    const EmbeddedResult decoded =
        decode_embedded(object.get_object(), *place.root, Root::resource);
    if (decoded.problem) return joined({*decoded.problem});
    Causes found;
    validate_embedded(object, *place.root, "", found, Root::resource);
    return found.empty() ? "" : joined(found);
  }

  static void check_shape(Json value, const Structural& schema, const std::string& field,
                          const Place& place, Causes& found) {
    if (place.is_in_metadata) {
      const std::string problem = problem_in_metadata(value, place);
      if (problem.empty()) return;
      found.push_back(
          invalid_value(field, in_order(value), "must result in valid metadata: " + problem));
    } else if (EmbeddedResult decoded = decode_embedded(value, schema, field); decoded.problem) {
      found.push_back(std::move(*decoded.problem));
    } else {
      validate_embedded(value, schema, field, found);
    }
  }

  void check_value(const Json& value, const Structural& schema, const Rules* rules,
                   const std::string& field, const Place& place) {
    Json pruned = value;
    prune(pruned, schema, schema.is_embedded_resource ? Root::resource : Root::value);
    if (!place.is_in_metadata && pruned != value) {
      causes_.add(invalid_value(field, in_order(value), "must not have unknown fields"));
    }
    Causes found;
    check_shape(value, schema, field, place, found);
    if (found.empty()) validate_default(value, schema, field, steps_left_, found);
    if (found.empty() && rules != nullptr) rules->validate_default(value, field, budget_, found);
    causes_.add_all(std::move(found));
  }

  BoundedCauses causes_;
  std::uint64_t budget_ = kRuleBudget;
  std::size_t steps_left_ = kStepsMax;
};

// What is allowed below a schema depends on its position.
struct Place {
  bool is_root = false;
  bool is_in_metadata = false;
  std::string no_default_because = {};  // "": defaults are allowed
};

class Checker {
 public:
  explicit Checker(Causes& causes) : causes_(causes) {}

  void check_schema(const JsonObject& schema, const std::string& path, const Place& place) {
    check_standard_fields(schema, path, place);
    if (has_true(schema, "uniqueItems")) {
      forbid(path, "uniqueItems",
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    check_additional_properties(schema, path, place);
    check_properties(schema, path, place);
    for_each_alternative(schema, path, [&](const JsonObject& one, const std::string& at) {
      check_below(one, at, place);
    });
    if (has(schema, {"items"})) check_below(object_at(schema, {"items"}), path + ".items", place);
    validate_list_types(schema, path, causes_);
    validate_rule_texts(schema, path, causes_);
  }

 private:
  void forbid(const std::string& path, std::string_view name, std::string_view why) {
    causes_.push_back(forbidden_value(fmt::format("{}.{}", path, name), why));
  }

  void check_below(const JsonObject& schema, const std::string& path, Place place) {
    place.is_root = false;
    check_schema(schema, path, place);
  }

  void check_standard_fields(const JsonObject& schema, const std::string& path,
                             const Place& place) {
    const std::string_view type = text_at(schema, {"type"});
    if (!type.empty()) {
      validate_choice(type, {"array", "boolean", "integer", "number", "object", "string"},
                      path + ".type", causes_);
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
    if (place.is_in_metadata && has_true(schema, "x-kubernetes-embedded-resource")) {
      forbid(path, "x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
  }

  void check_additional_properties(const JsonObject& schema, const std::string& path, Place place) {
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
      check_below(additional->get_object(), path + ".additionalProperties", place);
    }
  }

  void check_properties(const JsonObject& schema, const std::string& path, const Place& place) {
    const bool is_resource = place.is_root || has_true(schema, "x-kubernetes-embedded-resource");
    for (const auto& [name, property] : object_at(schema, {"properties"})) {
      Place below = place;
      below.is_root = false;
      if (is_resource && is_meta(name)) {
        below.is_in_metadata = true;
        if (place.is_root) {
          below.no_default_because = fmt::format("in top-level {}", std::string_view(name));
        }
      }
      check_below(as_object(property), property_path(path, name), below);
    }
  }

  Causes& causes_;
};

// Each part is only checked if the one before it is right: the structure, the defaults, the rules.
void validate_parts(const JsonObject& schema, const std::string& root, const Causes& of_schema,
                    Causes& causes) {
  if (has_unsupported(schema)) return;
  Causes found;
  validate_structural(schema, root, found);
  const Structural structural = read_structural(schema);
  const auto rules = found.empty() ? Rules::compile(structural, IsResource::yes) : nullptr;
  if (found.empty()) {
    DefaultsChecker defaults;
    defaults.check_root(structural, rules.get(), root);
    found = defaults.take();
  }
  if (found.empty() && rules != nullptr) validate_rules(*rules, root, of_schema, found);
  std::ranges::move(found, std::back_inserter(causes));
}

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
  if (has_true(schema, "nullable")) {
    causes.push_back(forbidden_value(root + ".nullable", "nullable cannot be true at the root"));
  }
  Causes of_schema;
  Checker(of_schema).check_schema(schema, root, {.is_root = true});
  validate_parts(schema, root, of_schema, causes);
  std::ranges::move(of_schema, std::back_inserter(causes));
}

}  // namespace dcm::apiserver
