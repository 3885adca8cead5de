#include "apiserver/definitions/value_validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "apiserver/definitions/formats.hpp"
#include "cel/regex.hpp"

namespace dcm::apiserver {

namespace {

// Results of validating a value. `matches`: the number of passed checks, which selects the best of
// several alternatives.
struct Result {
  Causes causes = {};
  std::size_t matches = 0;

  bool is_valid() const { return causes.empty(); }
  void merge(Result other) {
    matches += other.matches;
    std::ranges::move(other.causes, std::back_inserter(causes));
  }
};

bool is_integral(const Json& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::trunc(value.get_double()) == value.get_double() &&
         std::abs(value.get_double()) <= 9'007'199'254'740'991.0;
}

std::string_view type_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "boolean";
  if (value.is_string()) return "string";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return value.is_double() ? "number" : "integer";
}

// A number as in Go.
std::string_view format_of(const Json& value) {
  if (value.is_double()) return "float64";
  return value.is_number() ? "int64" : "";
}

std::string expected_types(const Structural& schema) {
  return schema.is_int_or_string ? "integer,string" : schema.type;
}

bool allows_type(const Structural& schema, const Json& value) {
  if (schema.is_int_or_string) return value.is_string() || is_integral(value);
  if (schema.type.empty()) return true;
  if (schema.type == "integer") return is_integral(value);
  return schema.type == "number" ? value.is_number() : schema.type == type_of(value);
}

std::int64_t code_points(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

std::string text_of(double number) {
  if (std::trunc(number) == number && std::abs(number) < 1e21) return fmt::format("{:.0f}", number);
  return fmt::format("{}", number);
}

class Validator {
 public:
  // `base` precedes the paths in the fields of causes, but not in their texts.
  explicit Validator(std::string base) : base_(std::move(base)) {}

  // `old` is null if there is nothing to compare.
  Result node(const Json& value, const Json* old, const Structural& schema,
              const std::string& path) {
    Result result = plain(value, old, schema, path);
    if (old != nullptr && !result.is_valid() && *old == value) result.causes.clear();
    return result;
  }

 private:
  std::string field_of(const std::string& path) const {
    if (path.empty()) return base_.empty() ? "<nil>" : base_;
    const std::string below = path.starts_with('.') ? path.substr(1) : path;
    return base_.empty() ? below : base_ + "." + below;
  }

  Cause wrong_type(const std::string& path, std::string_view expected,
                   std::string_view found) const {
    return {"FieldValueTypeInvalid",
            fmt::format("Invalid value: \"{0}\": {1} in body must be of type {2}: \"{0}\"", found,
                        path, expected),
            field_of(path)};
  }

  // Without a value: what allOf and the like say about the whole.
  Cause composite(std::string message) const {
    return {"FieldValueInvalid", "Invalid value: \"\": " + std::move(message), field_of("")};
  }

  // Regardless of whether the value itself has changed.
  Result plain(const Json& value, const Json* old, const Structural& schema,
               const std::string& path) {
    Result result;
    if (!schema.type.empty() || schema.is_int_or_string) result.merge(type(value, schema, path));
    if (value.is_null()) {
      result.merge(allowed_values(value, schema, path));
      return result;
    }
    result.merge(alternatives(value, old, schema, path));
    if (value.is_string()) result.merge(string(view(value.get_string()), schema, path));
    if (value.is_number()) result.merge(number(value, schema, path));
    if (value.is_array()) result.merge(array(value.get_array(), old, schema, path));
    result.merge(allowed_values(value, schema, path));
    if (value.is_object()) result.merge(object(value.get_object(), old, schema, path));
    ++result.matches;
    return result;
  }

  Result type(const Json& value, const Structural& schema, const std::string& path) {
    // A list passes as a string with a format, by an oversight of the real server's validator.
    const bool is_list_of_format =
        value.is_array() && schema.type == "string" && is_known_format("string", schema.format);
    const bool fits =
        value.is_null() ? schema.is_nullable : is_list_of_format || allows_type(schema, value);
    if (fits) return {{}, 2};
    const bool is_by_format = is_known_format(schema.type, schema.format) && !value.is_null() &&
                              !value.is_string() && !value.is_array();
    if (is_by_format) return {{wrong_type(path, schema.format, format_of(value))}, 1};
    return {{wrong_type(path, expected_types(schema), type_of(value))}, 1};
  }

  Result allowed_values(const Json& value, const Structural& schema, const std::string& path) {
    if (!schema.values_allowed) return {{}, 1};
    std::string listed;
    for (const Json& one : *schema.values_allowed) {
      if (one == value) return {{}, 1};
      const Json shown = one.is_string() ? one : Json(serialize(one));
      listed += (listed.empty() ? "" : ", ") + serialize(shown);
    }
    return {{{"FieldValueNotSupported",
              fmt::format("Unsupported value: {}: supported values: {}", serialize(value), listed),
              field_of(path)}},
            1};
  }

  Result string(std::string_view text, const Structural& schema, const std::string& path) {
    const std::int64_t count = code_points(text);
    Result result{{}, 1};
    const auto refuse = [&](std::string_view why) {
      result.causes.push_back(
          invalid_value(field_of(path), Json(text), fmt::format("{} in body {}", path, why)));
    };
    if (schema.characters.max && count > *schema.characters.max) {
      result.causes.push_back(
          too_long(field_of(path), static_cast<std::size_t>(*schema.characters.max)));
    } else if (schema.characters.min && count < *schema.characters.min) {
      refuse(fmt::format("should be at least {} chars long", *schema.characters.min));
    } else if (schema.regex != nullptr && !schema.regex->matches(text)) {
      refuse(fmt::format("should match '{}'", schema.pattern));
    }
    const bool has_format =
        (schema.type.empty() || schema.type == "string") && !schema.format.empty();
    if (has_format && !fits_format(schema.format, text)) {
      result.causes.push_back(
          {"FieldValueTypeInvalid",
           fmt::format("Invalid value: {}: {} in body must be of type {}: {}",
                       serialize(Json(text)), path, schema.format, serialize(Json(text))),
           field_of(path)});
    }
    return result;
  }

  static bool is_in_range(const Json& value, const Structural& schema) {
    if (schema.type == "number") {
      return schema.format != "float" || std::abs(value.to_number<double>()) <=
                                             static_cast<double>(std::numeric_limits<float>::max());
    }
    if (schema.type != "integer") return true;
    if (value.is_uint64() || !is_integral(value)) return false;
    if (schema.format != "int32" || !value.is_int64()) return true;
    return std::in_range<std::int32_t>(value.get_int64());
  }

  Result number(const Json& value, const Structural& schema, const std::string& path) {
    Result result{{}, 1};
    const NumberLimits& limits = schema.number;
    const auto number = value.to_number<double>();
    const auto refuse = [&](std::string_view why) {
      result.causes.push_back(
          invalid_value(field_of(path), value, fmt::format("{} in body should be {}", path, why)));
    };
    if (!is_in_range(value, schema)) {
      const bool is_known = is_known_format(schema.type, schema.format);
      result.causes.push_back(composite(fmt::format(
          "Checked value must be of type {} {} in {}", schema.type,
          is_known ? "with format " + schema.format : std::string("(default format)"), path)));
    }
    if (limits.multiple_of) {
      // An integer is compared with a whole factor.
      const double factor =
          value.is_double() ? *limits.multiple_of : std::trunc(*limits.multiple_of);
      if (factor <= 0) {
        result.causes.push_back(
            {"FieldValueInvalid",
             fmt::format(
                 "Invalid value: {0}: factor MultipleOf declared for {1} must be positive: {0}",
                 text_of(factor), path),
             field_of(path)});
      } else if (std::fmod(number, factor) != 0) {
        refuse("a multiple of " + text_of(factor));
      }
    }
    if (limits.maximum && limits.excludes_maximum && number >= *limits.maximum) {
      refuse("less than " + text_of(*limits.maximum));
    } else if (limits.maximum && number > *limits.maximum) {
      refuse("less than or equal to " + text_of(*limits.maximum));
    }
    if (limits.minimum && limits.excludes_minimum && number <= *limits.minimum) {
      refuse("greater than " + text_of(*limits.minimum));
    } else if (limits.minimum && number < *limits.minimum) {
      refuse("greater than or equal to " + text_of(*limits.minimum));
    }
    return result;
  }

  Result array(const JsonArray& array, const Json* old, const Structural& schema,
               const std::string& path) {
    Result result{{}, 1};
    std::size_t index = 0;
    for (const Json& item : array) {
      if (schema.items == nullptr) break;
      const Json* const before = old == nullptr ? nullptr : correlated_item(item, old, schema);
      result.merge(node(item, before, *schema.items, fmt::format("{}[{}]", path, index++)));
    }
    const auto count = static_cast<std::int64_t>(array.size());
    if (schema.item_count.min && count < *schema.item_count.min) {
      result.causes.push_back(invalid_value(
          field_of(path), Json(count),
          fmt::format("{} in body should have at least {} items", path, *schema.item_count.min)));
    }
    if (schema.item_count.max && count > *schema.item_count.max) {
      result.causes.push_back(
          too_many(field_of(path), array.size(), static_cast<std::size_t>(*schema.item_count.max)));
    }
    return result;
  }

  void count_properties(std::size_t size, const Structural& schema, const std::string& path,
                        Result& result) {
    const auto count = static_cast<std::int64_t>(size);
    if (schema.property_count.min && count < *schema.property_count.min) {
      result.causes.push_back(
          invalid_value(field_of(path), Json(count),
                        fmt::format("{} in body should have at least {} properties", path,
                                    *schema.property_count.min)));
    }
    if (schema.property_count.max && count > *schema.property_count.max) {
      result.causes.push_back(
          too_many(field_of(path), size, static_cast<std::size_t>(*schema.property_count.max)));
    }
  }

  Result object(const JsonObject& object, const Json* old, const Structural& schema,
                const std::string& path) {
    Result result{{}, 1};
    count_properties(object.size(), schema, path, result);
    const JsonObject* const before = old == nullptr ? nullptr : old->if_object();
    const auto member = [&](std::string_view name, const Json& value, const Structural& known) {
      const bool is_compared = before != nullptr && !(path.empty() && is_type_meta(name));
      const Json* const old_value = is_compared ? before->if_contains(name) : nullptr;
      // The values of a map are preceded by a dot even at the start.
      const bool is_first = path.empty() && &known != schema.values.get();
      const std::string below = is_first ? std::string(name) : fmt::format("{}.{}", path, name);
      result.merge(node(value, old_value, known, below));
    };
    for (const auto& [name, value] : object) {
      const bool is_named = schema.properties.contains(std::string_view(name));
      if (!is_named && schema.has_values()) member(name, value, *schema.values);
      if (!is_named && schema.additional == Structural::Additional::forbidden) {
        result.causes.push_back(invalid_value(
            field_of(path), Json(""),
            fmt::format("{}.{} in body is a forbidden property", path, std::string_view(name))));
      }
    }
    for (const auto& [name, known] : schema.properties) {
      if (const Json* value = object.if_contains(name)) member(name, *value, known);
    }
    for (const std::string& name : schema.required) {
      if (object.contains(name)) continue;
      result.causes.push_back(required_value(field_of(path.empty() ? name : path + "." + name)));
    }
    return result;
  }

  Result alternatives(const Json& value, const Json* old, const Structural& schema,
                      const std::string& path) {
    Result result;
    if (!schema.any_of.empty()) result.merge(any_of(value, old, schema, path));
    if (!schema.one_of.empty()) result.merge(one_of(value, old, schema, path));
    if (!schema.all_of.empty()) result.merge(all_of(value, old, schema, path));
    if (schema.none_of != nullptr && plain(value, old, *schema.none_of, path).is_valid()) {
      result.causes.push_back(
          composite(fmt::format("\"{}\" must not validate the schema (not)", path)));
    }
    result.matches += 2;
    return result;
  }

  Result any_of(const Json& value, const Json* old, const Structural& schema,
                const std::string& path) {
    std::optional<Result> best;
    for (const Structural& one : schema.any_of) {
      Result result = plain(value, old, one, path);
      if (result.is_valid()) return result;
      if (!best || result.matches > best->matches) best = std::move(result);
    }
    Result failed{
        {composite(fmt::format("\"{}\" must validate at least one schema (anyOf)", path))}};
    failed.merge(std::move(*best));
    return failed;
  }

  Result one_of(const Json& value, const Json* old, const Structural& schema,
                const std::string& path) {
    std::optional<Result> best;
    std::optional<Result> first;
    std::size_t valid = 0;
    for (const Structural& one : schema.one_of) {
      Result result = plain(value, old, one, path);
      if (result.is_valid()) {
        if (++valid == 1) first = std::move(result);
      } else if (valid == 0 && (!best || result.matches > best->matches)) {
        best = std::move(result);
      }
    }
    if (valid == 1) return std::move(*first);
    Result failed{
        {composite(fmt::format("\"{}\" must validate one and only one schema (oneOf). {}", path,
                               valid == 0 ? std::string("Found none valid")
                                          : fmt::format("Found {} valid alternatives", valid)))}};
    if (valid == 0) failed.merge(std::move(*best));
    return failed;
  }

  Result all_of(const Json& value, const Json* old, const Structural& schema,
                const std::string& path) {
    Result all;
    std::size_t valid = 0;
    for (const Structural& one : schema.all_of) {
      Result result = plain(value, old, one, path);
      if (result.is_valid()) ++valid;
      all.merge(std::move(result));
    }
    if (valid == schema.all_of.size()) return all;
    all.causes.push_back(composite(fmt::format("\"{}\" must validate all the schemas (allOf){}",
                                               path, valid == 0 ? ". None validated" : "")));
    return all;
  }

  std::string base_;
};

JsonObject keys_of(const Json& item, const Structural& list) {
  JsonObject keys;
  for (const std::string& name : list.list_keys) {
    const Json* const value = as_object(item).if_contains(name);
    if (value != nullptr) keys[name] = *value;
  }
  return keys;
}

void validate_list(const JsonArray& list, const Structural& schema, const std::string& path,
                   Causes& causes) {
  const bool is_map = schema.list_type == "map";
  std::map<std::string, std::size_t> seen;
  std::size_t index = 0;
  for (const Json& item : list) {
    const std::string at = fmt::format("{}[{}]", path, index++);
    if (is_map && !item.is_object() && !item.is_null()) {
      causes.push_back(invalid_value(at, item, "must be an object for an array of list-type map"));
      return;
    }
    const Json key = is_map ? Json(keys_of(item, schema)) : item;
    // Each repeated value is reported once.
    if (++seen[serialize(key)] == 2) causes.push_back(duplicate_value(at, key));
  }
}

}  // namespace

const Json* correlated_item(const Json& item, const Json* old_list, const Structural& list) {
  if (list.list_type != "map" || old_list == nullptr || !old_list->is_array()) return nullptr;
  const JsonObject keys = keys_of(item, list);
  for (const Json& old : old_list->get_array()) {
    if (old.is_object() && keys_of(old, list) == keys) return &old;
  }
  return nullptr;
}

void validate_value(const Json& value, const Json* old, const Structural& schema,
                    const std::string& base, Causes& causes) {
  std::ranges::move(Validator(base).node(value, old, schema, "").causes,
                    std::back_inserter(causes));
}

void validate_unique_items(const Json& value, const Structural& schema, const std::string& path,
                           Causes& causes) {
  if (value.is_array()) {
    if (schema.list_type == "set" || schema.list_type == "map") {
      validate_list(value.get_array(), schema, path, causes);
    }
    std::size_t index = 0;
    for (const Json& item : value.get_array()) {
      if (schema.items == nullptr) break;
      validate_unique_items(item, *schema.items, fmt::format("{}[{}]", path, index++), causes);
    }
  }
  if (!value.is_object()) return;
  for (const auto& [name, member] : value.get_object()) {
    const auto known = schema.properties.find(std::string_view(name));
    if (known != schema.properties.end()) {
      validate_unique_items(
          member, known->second,
          path.empty() ? std::string(name) : fmt::format("{}.{}", path, std::string_view(name)),
          causes);
    } else if (schema.has_values()) {
      validate_unique_items(member, *schema.values,
                            fmt::format("{}[{}]", path, std::string_view(name)), causes);
    }
  }
}

bool blocks_rules(const Causes& causes) {
  constexpr std::string_view kBlocking[] = {"FieldValueNotSupported", "FieldValueRequired",
                                            "FieldValueTooLong", "FieldValueTooMany",
                                            "FieldValueTypeInvalid"};
  return std::ranges::any_of(causes, [&](const Cause& cause) {
    return std::ranges::find(kBlocking, cause.reason) != std::end(kBlocking);
  });
}

}  // namespace dcm::apiserver
