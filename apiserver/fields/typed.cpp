#include "apiserver/fields/typed.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "apiserver/fields/go_values.hpp"
#include "apiserver/text/item_budget.hpp"
#include "apiserver/text/words.hpp"
#include "cel/kubernetes/quantity.hpp"
#include "runtime/base64.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

using Kind = FieldType::Kind;

std::string_view json_type(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  return "number";
}

// Roughly as written: Boost would show 0.5 as 5E-1.
std::string number_text(const Json& value) {
  return value.is_double() ? fmt::format("{}", value.get_double()) : serialize(value);
}

std::string_view expected_shape(Kind kind) {
  switch (kind) {
    case Kind::object:
    case Kind::map:
      return "map";
    case Kind::list:
      return "list";
    case Kind::integer:
    case Kind::number:
      return "numeric (int or float)";
    case Kind::boolean:
      return "boolean";
    default:
      return "string";
  }
}

bool fits_integer(const Json& value, std::string_view type) {
  if (!value.is_int64()) return false;  // a larger one is a uint64 here, and too large for Go
  if (type != "int32") return true;
  const std::int64_t number = value.get_int64();
  return number >= std::numeric_limits<std::int32_t>::min() &&
         number <= std::numeric_limits<std::int32_t>::max();
}

// RFC 3339 with a capital T and Z and without leap seconds, as Go demands.
bool is_time(std::string_view text) {
  constexpr std::size_t kSecond = 17;
  return runtime::parse_timestamp(text) && !text.contains('t') && !text.contains('z') &&
         text[kSecond] != '6';
}

// With six digits after the point: "2027-03-01T10:15:00.000000Z".
bool is_micro_time(std::string_view text) {
  constexpr std::size_t kPoint = 19;
  constexpr std::size_t kDigits = 6;
  return is_time(text) && text[kPoint] == '.' &&
         text.find_first_not_of("0123456789", kPoint + 1) == kPoint + 1 + kDigits;
}

// The position of a walk in an object. Converted to text only for errors.
struct Place {
  enum class Step { start, member, key, index };

  const Place* outer = nullptr;
  Step step = Step::start;
  std::string_view name = {};
  std::size_t index = 0;

  // "spec.containers[0].image"
  std::string path() const {
    if (step == Step::start) return {};
    std::string text = outer->path();
    if (step == Step::index) return fmt::format("{}[{}]", text, index);
    if (!text.empty()) text += '.';
    return text.append(name);
  }
  // Without indexes and keys, as decoding errors show it: "spec.containers.image"
  std::string names() const {
    if (step == Step::start) return {};
    std::string text = outer->names();
    if (step != Step::member) return text;
    if (!text.empty()) text += '.';
    return text.append(name);
  }
};

// Walks over an object once.
class Decoder {
 public:
  Decoder(std::string_view kind, MapKeys keys) : kind_(kind), keys_(keys) {}

  TypedResult take() { return std::move(result_); }

  void value(Json& value, const FieldType& type, const Place& place) {
    if (value.is_null() || result_.problem) return;
    switch (type.kind) {
      case Kind::any:
        return;
      case Kind::object:
        if (!value.is_object()) return mismatch(value, type, place);
        return object(value.get_object(), type, place);
      case Kind::map:
        return map(value, type, place);
      case Kind::list:
        return list(value, type, place);
      default:
        scalar(value, type, place);
    }
  }

  void object(JsonObject& object, const FieldType& type, const Place& place) {
    bool has_unknown = false;
    for (auto& [key, value] : object) {
      const auto field = type.fields.find(key);
      if (field == type.fields.end()) {
        has_unknown = true;
        note_unknown(Place{&place, Place::Step::member, key});
        continue;
      }
      const FieldType* const outer = struct_;
      if (!type.name.empty()) struct_ = &type;
      this->value(value, *field->second, {&place, Place::Step::member, field->first});
      struct_ = outer;
    }
    if (has_unknown) drop_unknown(object, type);
  }

 private:
  // "v1.PodSpec" → "PodSpec"; the outermost has its kind's name.
  std::string struct_name() const {
    return struct_ == nullptr ? kind_ : struct_->name.substr(struct_->name.find('.') + 1);
  }

  void note_unknown(const Place& place) {
    if (result_.unknown.size() < kReportedMax) result_.unknown.push_back(place.path());
  }

  // erase() would change the order of the rest.
  static void drop_unknown(JsonObject& object, const FieldType& type) {
    JsonObject kept;
    for (auto& [key, value] : object) {
      if (type.fields.contains(key)) kept[key] = std::move(value);
    }
    object = std::move(kept);
  }

  void map(Json& value, const FieldType& type, const Place& place) {
    if (!value.is_object()) return mismatch(value, type, place);
    for (auto& [key, item] : value.get_object()) {
      if (item.is_null()) item = zero_value(*type.element);
      const Place below{&place, Place::Step::key, key};
      this->value(item, *type.element, keys_ == MapKeys::in_paths ? below : place);
    }
  }

  void list(Json& value, const FieldType& type, const Place& place) {
    if (!value.is_array()) return mismatch(value, type, place);
    std::size_t index = 0;
    for (Json& item : value.get_array()) {
      if (item.is_null()) item = zero_value(*type.element);
      this->value(item, *type.element, {&place, Place::Step::index, {}, index++});
    }
  }

  void scalar(Json& value, const FieldType& type, const Place& place) {
    switch (type.kind) {
      case Kind::text:
        if (!value.is_string()) mismatch(value, type, place);
        return;
      case Kind::bytes:
        return bytes(value, type, place);
      case Kind::time:
      case Kind::micro_time:
        return time(value, type, place);
      case Kind::boolean:
        if (!value.is_bool()) mismatch(value, type, place);
        return;
      case Kind::integer:
        if (!fits_integer(value, type.name)) mismatch(value, type, place);
        return;
      case Kind::number:
        if (!value.is_number()) mismatch(value, type, place);
        return;
      case Kind::quantity:
        return quantity(value, type, place);
      case Kind::int_or_string:
        if (!value.is_string() && !fits_integer(value, "int32")) mismatch(value, type, place);
        return;
      default:
        return;
    }
  }

  void bytes(Json& value, const FieldType& type, const Place& place) {
    if (!value.is_string()) return mismatch(value, type, place);
    const auto decoded = runtime::decode_base64(view(value.get_string()));
    if (!decoded) {
      return refuse(type, place,
                    fmt::format("illegal base64 data at input byte {}", decoded.error()));
    }
    value = runtime::encode_base64(*decoded);
  }

  // A quantity is always shown as a string.
  void quantity(Json& value, const FieldType& type, const Place& place) {
    if (value.is_number()) value = number_text(value);
    const std::string_view given = as_text(value);
    const std::string_view text = trimmed(given);
    const auto parsed = cel::Quantity::parse_stored(text);
    if (!parsed) return refuse(type, place, std::string(parsed.error()));
    if (text != given) value = std::string(text);
  }

  void time(const Json& value, const FieldType& type, const Place& place) {
    if (!value.is_string()) return mismatch(value, type, place);
    const bool is_micro = type.kind == Kind::micro_time;
    const std::string_view text = view(value.get_string());
    if (is_micro ? is_micro_time(text) : is_time(text)) return;
    refuse(type, place,
           fmt::format(
               "parsing time {0} as \"2006-01-02T15:04:05{1}Z07:00\": cannot parse {0} as \"2006\"",
               serialize(value), is_micro ? ".000000" : ""));
  }

  void mismatch(const Json& value, const FieldType& type, const Place& place) {
    std::string shown(json_type(value));
    if (value.is_number() && type.kind == Kind::integer) shown += " " + number_text(value);
    const std::string where = place.step == Place::Step::start
                                  ? "value"
                                  : fmt::format("struct field {}.{}", struct_name(), place.names());
    refuse(type, place,
           fmt::format("json: cannot unmarshal {} into Go {} of type {}", shown, where, type.name));
  }

  void refuse(const FieldType& type, const Place& place, std::string message) {
    result_.problem = {"." + place.path(), std::string(expected_shape(type.kind)),
                       std::move(message)};
  }

  std::string kind_;
  const FieldType* struct_ = nullptr;  // the innermost enclosing one
  MapKeys keys_;
  TypedResult result_;
};

}  // namespace

TypedResult decode_typed(Json& value, const FieldType& type, std::string_view kind, MapKeys keys) {
  Decoder decoder(kind, keys);
  decoder.value(value, type, {});
  return decoder.take();
}

TypedResult decode_typed(JsonObject& object, const FieldType& type, std::string_view kind,
                         MapKeys keys) {
  if (type.kind != Kind::object) return {};
  Decoder decoder(kind, keys);
  decoder.object(object, type, {});
  return decoder.take();
}

}  // namespace dcm::apiserver
