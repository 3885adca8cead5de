// A structural schema: the schema of a version of a CustomResourceDefinition, parsed once
// (k8s.io/apiextensions-apiserver pkg/apiserver/schema).
//
// Schemas within allOf, anyOf, oneOf and not have the same type; validation of the definition
// restricts them to constraints on values.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::cel {
class Regex;
}

namespace dcm::apiserver {

// A rule of `x-kubernetes-validations`.
struct RuleText {
  std::string rule;
  std::string message = {};
  std::string message_expression = {};
  std::string reason = {};  // "" is FieldValueInvalid
  std::string field_path = {};
  std::optional<bool> optional_old_self = {};

  // The default message: names the rule.
  std::string shown_message() const;
  // The message or the rule, for errors about it.
  std::string shown() const;
};

// The constraints of a number.
struct NumberLimits {
  std::optional<double> maximum;
  std::optional<double> minimum;
  std::optional<double> multiple_of;
  bool excludes_maximum = false;
  bool excludes_minimum = false;
};

struct CountLimits {
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
};

struct Structural {
  // What `additionalProperties` says.
  enum class Additional { absent, allowed, forbidden, typed };

  std::string type;  // "" if any type is allowed
  std::string format;
  bool is_nullable = false;
  bool preserves_unknown = false;
  bool is_int_or_string = false;
  bool is_embedded_resource = false;
  bool has_embedded = false;  // this, or a schema of its items or members, is of such a resource
  std::optional<Json> default_value;

  std::unique_ptr<Structural> items;
  std::map<std::string, Structural, std::less<>> properties;
  Additional additional = Additional::absent;
  std::unique_ptr<Structural> values;  // of a map: Additional::typed

  std::string list_type;
  std::vector<std::string> list_keys;
  std::string map_type;

  NumberLimits number;
  CountLimits characters;
  CountLimits item_count;
  CountLimits property_count;
  std::string pattern;
  std::shared_ptr<const cel::Regex> regex;          // of the pattern; null if none, or invalid
  std::optional<std::vector<Json>> values_allowed;  // enum
  std::vector<std::string> required;
  std::vector<Structural> all_of;
  std::vector<Structural> any_of;
  std::vector<Structural> one_of;
  std::unique_ptr<Structural> none_of;  // not
  std::vector<RuleText> rules;

  // The schema of a member; null if nothing is known about it.
  const Structural* member(std::string_view name) const;
  bool has_values() const { return additional == Additional::typed; }
};

// Whether the schema, or one below it, has fields that a structural schema cannot represent
// (schema.NewStructural fails).
bool has_unsupported(const JsonObject& schema);

// Reads any JSON: what is not a schema has no constraints.
Structural read_structural(const JsonObject& schema);

// The schema of a resource's root also has kind, apiVersion and metadata.
bool is_type_meta(std::string_view name);  // "apiVersion", "kind"
bool is_meta(std::string_view name);       // and "metadata"

}  // namespace dcm::apiserver
