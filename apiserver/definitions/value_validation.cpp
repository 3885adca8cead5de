#include "apiserver/definitions/value_validation.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "apiserver/definitions/list_items.hpp"
#include "apiserver/definitions/value_checks.hpp"

namespace dcm::apiserver {

namespace {

class Validator {
 public:
  // `base` precedes the paths in the fields of causes, but not in their texts.
  Validator(std::string base, Subject subject, std::size_t& steps_left)
      : base_(std::move(base)), subject_(subject), steps_left_(steps_left) {}

  // `old` is null if there is nothing to compare.
  void validate(const Json& value, const Json* old, const Structural& schema, Causes& causes) {
    BoundedCauses found = node(value, old, schema, "").causes;
    const bool is_complete = !found.is_full() && steps_left_ > 0;
    std::ranges::move(std::move(found).take(), std::back_inserter(causes));
    if (is_complete) return;
    // Blocks the rules: they require values of the right types.
    causes.push_back({"FieldValueTooMany", "Too many: validation was stopped", field_of("")});
  }

 private:
  // Of about ten to fifty nanoseconds each.
  static std::size_t steps_of(const Json& value, const Structural& schema,
                              const std::string& path) {
    std::size_t steps = 20 + path.size() / 256;
    if (schema.values_allowed) steps += schema.values_allowed->size();
    if (value.is_string()) steps += value.get_string().size() / 8;
    if (value.is_object()) {
      steps += value.get_object().size() + schema.properties.size() + schema.required.size();
    }
    return steps;
  }

  void spend(std::size_t steps) { steps_left_ -= std::min(steps, steps_left_); }

  ValueResult node(const Json& value, const Json* old, const Structural& schema,
                   const std::string& path) {
    ValueResult result = plain(value, old, schema, path);
    if (!result.is_valid() && is_unchanged(old, value, schema)) result.causes = {};
    return result;
  }

  std::string field_of(const std::string& path) const { return ValuePlace{base_, path}.field(); }

  // Regardless of whether the value itself has changed.
  ValueResult plain(const Json& value, const Json* old, const Structural& schema,
                    const std::string& path) {
    ValueResult result;
    spend(steps_of(value, schema, path));
    if (steps_left_ == 0) return result;
    const ValuePlace place{base_, path};
    result.merge(check_type(value, schema, place, subject_));
    if (value.is_null()) {
      result.merge(check_allowed_values(value, schema, place));
      return result;
    }
    result.merge(alternatives(value, old, schema, path));
    if (value.is_string()) result.merge(check_text(view(value.get_string()), schema, place));
    if (value.is_number()) result.merge(check_number(value, schema, place));
    if (value.is_array()) result.merge(array(value.get_array(), old, schema, path));
    result.merge(check_allowed_values(value, schema, place));
    if (value.is_object()) result.merge(object(value.get_object(), old, schema, path));
    ++result.matches;
    spend(result.causes.bytes() / 64);  // another alternative may be valid
    return result;
  }

  ValueResult array(const JsonArray& array, const Json* old, const Structural& schema,
                    const std::string& path) {
    ValueResult result{{}, 1};
    const OldItems old_items(old, schema);
    std::size_t index = 0;
    for (const Json& item : array) {
      if (schema.items == nullptr || result.causes.is_full()) break;
      result.merge(
          node(item, old_items.find(item), *schema.items, fmt::format("{}[{}]", path, index++)));
    }
    const auto count = static_cast<std::int64_t>(array.size());
    if (schema.item_count.min && count < *schema.item_count.min) {
      result.causes.add(invalid_value(
          field_of(path), Json(count),
          fmt::format("{} in body should have at least {} items", path, *schema.item_count.min)));
    }
    if (schema.item_count.max && count > *schema.item_count.max) {
      result.causes.add(
          too_many(field_of(path), array.size(), static_cast<std::size_t>(*schema.item_count.max)));
    }
    return result;
  }

  void count_properties(std::size_t size, const Structural& schema, const std::string& path,
                        ValueResult& result) {
    const auto count = static_cast<std::int64_t>(size);
    if (schema.property_count.min && count < *schema.property_count.min) {
      result.causes.add(invalid_value(field_of(path), Json(count),
                                      fmt::format("{} in body should have at least {} properties",
                                                  path, *schema.property_count.min)));
    }
    if (schema.property_count.max && count > *schema.property_count.max) {
      result.causes.add(
          too_many(field_of(path), size, static_cast<std::size_t>(*schema.property_count.max)));
    }
  }

  ValueResult object(const JsonObject& object, const Json* old, const Structural& schema,
                     const std::string& path) {
    ValueResult result{{}, 1};
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
        result.causes.add(invalid_value(
            field_of(path), Json(""),
            fmt::format("{}.{} in body is a forbidden property", path, std::string_view(name))));
      }
    }
    for (const auto& [name, known] : schema.properties) {
      if (const Json* value = object.if_contains(name)) member(name, *value, known);
    }
    for (const std::string& name : schema.required) {
      if (result.causes.is_full()) break;
      if (object.contains(name)) continue;
      result.causes.add(required_value(field_of(path.empty() ? name : path + "." + name)));
    }
    return result;
  }

  ValueResult alternatives(const Json& value, const Json* old, const Structural& schema,
                           const std::string& path) {
    ValueResult result;
    if (!schema.any_of.empty()) result.merge(any_of(value, old, schema, path));
    if (!schema.one_of.empty()) result.merge(one_of(value, old, schema, path));
    if (!schema.all_of.empty()) result.merge(all_of(value, old, schema, path));
    if (schema.none_of != nullptr && plain(value, old, *schema.none_of, path).is_valid()) {
      result.causes.add(
          about_the_whole(base_, fmt::format("\"{}\" must not validate the schema (not)", path)));
    }
    // The result of unfinished alternatives is unknown.
    if (steps_left_ == 0) return {};
    result.matches += 2;
    return result;
  }

  ValueResult any_of(const Json& value, const Json* old, const Structural& schema,
                     const std::string& path) {
    std::optional<ValueResult> best;
    for (const Structural& one : schema.any_of) {
      ValueResult result = plain(value, old, one, path);
      if (result.is_valid()) return result;
      if (!best || result.matches > best->matches) best = std::move(result);
    }
    ValueResult failed{{about_the_whole(
        base_, fmt::format("\"{}\" must validate at least one schema (anyOf)", path))}};
    failed.merge(std::move(*best));
    return failed;
  }

  ValueResult one_of(const Json& value, const Json* old, const Structural& schema,
                     const std::string& path) {
    std::optional<ValueResult> best;
    std::optional<ValueResult> first;
    std::size_t valid = 0;
    for (const Structural& one : schema.one_of) {
      ValueResult result = plain(value, old, one, path);
      if (result.is_valid()) {
        if (++valid == 1) first = std::move(result);
      } else if (valid == 0 && (!best || result.matches > best->matches)) {
        best = std::move(result);
      }
    }
    if (valid == 1) return std::move(*first);
    ValueResult failed{{about_the_whole(
        base_, fmt::format("\"{}\" must validate one and only one schema (oneOf). {}", path,
                           valid == 0 ? std::string("Found none valid")
                                      : fmt::format("Found {} valid alternatives", valid)))}};
    if (valid == 0) failed.merge(std::move(*best));
    return failed;
  }

  ValueResult all_of(const Json& value, const Json* old, const Structural& schema,
                     const std::string& path) {
    ValueResult all;
    std::size_t valid = 0;
    for (const Structural& one : schema.all_of) {
      ValueResult result = plain(value, old, one, path);
      if (result.is_valid()) ++valid;
      all.merge(std::move(result));
    }
    if (valid == schema.all_of.size()) return all;
    all.causes.add(
        about_the_whole(base_, fmt::format("\"{}\" must validate all the schemas (allOf){}", path,
                                           valid == 0 ? ". None validated" : "")));
    return all;
  }

  std::string base_;
  Subject subject_;
  std::size_t& steps_left_;  // 0: nothing more is validated
};

}  // namespace

void validate_value(const Json& value, const Json* old, const Structural& schema,
                    const std::string& base, Causes& causes) {
  std::size_t steps_left = kStepsMax;
  Validator(base, Subject::object, steps_left).validate(value, old, schema, causes);
}

void validate_default(const Json& value, const Structural& schema, const std::string& base,
                      std::size_t& steps_left, Causes& causes) {
  if (steps_left == 0) return;
  Validator(base, Subject::default_value, steps_left).validate(value, nullptr, schema, causes);
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
