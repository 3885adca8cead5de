#include "apiserver/definitions/value_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "apiserver/definitions/formats.hpp"
#include "cel/regex.hpp"

namespace dcm::apiserver {

namespace {

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

// `type`: of JSON schemas, or "integer,string".
bool has_type(const Json& value, std::string_view type) {
  if (type == "integer,string") return value.is_string() || is_integral(value);
  if (type == "integer") return is_integral(value);
  return type == "number" ? value.is_number() : type == type_of(value);
}

std::int64_t code_points(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

std::string text_of(double number) {
  if (std::trunc(number) == number && std::abs(number) < 1e21) return fmt::format("{:.0f}", number);
  return fmt::format("{}", number);
}

Cause wrong_type(const ValuePlace& place, std::string_view expected, std::string_view found) {
  return {"FieldValueTypeInvalid",
          fmt::format("Invalid value: \"{0}\": {1} in body must be of type {2}: \"{0}\"", found,
                      place.path, expected),
          place.field()};
}

bool is_in_range(const Json& value, const Structural& schema) {
  if (schema.type == "number") {
    return schema.format != "float" || std::abs(value.to_number<double>()) <=
                                           static_cast<double>(std::numeric_limits<float>::max());
  }
  if (schema.type != "integer") return true;
  if (value.is_uint64() || !is_integral(value)) return false;
  if (schema.format != "int32" || !value.is_int64()) return true;
  return std::in_range<std::int32_t>(value.get_int64());
}

}  // namespace

std::string ValuePlace::field() const {
  if (path.empty()) return base.empty() ? "<nil>" : base;
  const std::string below = path.starts_with('.') ? path.substr(1) : path;
  return base.empty() ? below : base + "." + below;
}

void ValueResult::merge(ValueResult other) {
  matches += other.matches;
  causes.add_all(std::move(other.causes).take());
}

Cause about_the_whole(const std::string& base, std::string message) {
  return {"FieldValueInvalid", "Invalid value: \"\": " + std::move(message),
          ValuePlace{base, ""}.field()};
}

ValueResult check_type(const Json& value, const Structural& schema, const ValuePlace& place,
                       Subject subject) {
  const bool is_default = subject == Subject::default_value;
  const std::string_view type =
      schema.is_int_or_string && !is_default ? "integer,string" : std::string_view(schema.type);
  if (type.empty()) return {};
  const bool has_format =
      is_default ? !schema.format.empty() : is_known_format(schema.type, schema.format);
  // A list passes as a string with a format, by an oversight of the real server's validator.
  const bool is_list_of_format = value.is_array() && schema.type == "string" && has_format;
  const bool is_fitting =
      value.is_null() ? schema.is_nullable : is_list_of_format || has_type(value, type);
  if (is_fitting) return {{}, 2};
  const bool is_by_format =
      has_format && !value.is_null() && !value.is_string() && !value.is_array();
  if (is_by_format) return {{wrong_type(place, schema.format, format_of(value))}, 1};
  return {{wrong_type(place, type, type_of(value))}, 1};
}

ValueResult check_allowed_values(const Json& value, const Structural& schema,
                                 const ValuePlace& place) {
  if (!schema.values_allowed) return {{}, 1};
  constexpr std::size_t kListedMax = 16 * 1024;  // the list is repeated for each wrong value
  std::string listed;
  // The real server converts a number to the type of the allowed one before it compares them.
  const auto is_same = [&](const Json& one) {
    return one == value || (one.is_int64() && value.is_double() &&
                            static_cast<double>(one.get_int64()) == std::trunc(value.get_double()));
  };
  for (const Json& one : *schema.values_allowed) {
    if (is_same(one)) return {{}, 1};
    if (listed.size() > kListedMax) continue;
    const Json shown = one.is_string() ? one : Json(shown_value(one));
    listed += (listed.empty() ? "" : ", ") + serialize(shown);
  }
  return {{{"FieldValueNotSupported",
            fmt::format("Unsupported value: {}: supported values: {}", shown_value(value), listed),
            place.field()}},
          1};
}

ValueResult check_text(std::string_view text, const Structural& schema, const ValuePlace& place) {
  const std::int64_t count = code_points(text);
  ValueResult result{{}, 1};
  const auto refuse = [&](std::string_view why) {
    result.causes.add(
        invalid_value(place.field(), Json(text), fmt::format("{} in body {}", place.path, why)));
  };
  if (schema.characters.max && count > *schema.characters.max) {
    result.causes.add(too_long(place.field(), static_cast<std::size_t>(*schema.characters.max)));
  } else if (schema.characters.min && count < *schema.characters.min) {
    refuse(fmt::format("should be at least {} chars long", *schema.characters.min));
  } else if (schema.regex != nullptr && !schema.regex->matches(text)) {
    refuse(fmt::format("should match '{}'", schema.pattern));
  }
  const bool has_format =
      (schema.type.empty() || schema.type == "string") && !schema.format.empty();
  if (has_format && !fits_format(schema.format, text)) {
    result.causes.add(
        {"FieldValueTypeInvalid",
         fmt::format("Invalid value: {}: {} in body must be of type {}: {}", serialize(Json(text)),
                     place.path, schema.format, serialize(Json(text))),
         place.field()});
  }
  return result;
}

ValueResult check_number(const Json& value, const Structural& schema, const ValuePlace& place) {
  ValueResult result{{}, 1};
  const NumberLimits& limits = schema.number;
  const auto number = value.to_number<double>();
  const auto refuse = [&](std::string_view why) {
    result.causes.add(invalid_value(place.field(), value,
                                    fmt::format("{} in body should be {}", place.path, why)));
  };
  if (!is_in_range(value, schema)) {
    const bool is_known = is_known_format(schema.type, schema.format);
    result.causes.add(about_the_whole(
        place.base,
        fmt::format("Checked value must be of type {} {} in {}", schema.type,
                    is_known ? "with format " + schema.format : std::string("(default format)"),
                    place.path)));
  }
  if (limits.multiple_of) {
    // An integer is compared with a whole factor.
    const double factor = value.is_double() ? *limits.multiple_of : std::trunc(*limits.multiple_of);
    if (factor <= 0) {
      result.causes.add(
          {"FieldValueInvalid",
           fmt::format(
               "Invalid value: {0}: factor MultipleOf declared for {1} must be positive: {0}",
               text_of(factor), place.path),
           place.field()});
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

}  // namespace dcm::apiserver
