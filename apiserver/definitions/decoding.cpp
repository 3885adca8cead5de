#include "apiserver/definitions/decoding.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/shaping.hpp"

namespace dcm::apiserver {

namespace {

// A whole number is an integer, however it was written: Go writes it so.
void write_whole_numbers(Json& value) {
  constexpr double kExact = 9'007'199'254'740'992.0;
  if (value.is_object()) {
    for (auto& [name, member] : value.get_object()) write_whole_numbers(member);
  } else if (value.is_array()) {
    for (Json& item : value.get_array()) write_whole_numbers(item);
  } else if (value.is_double() && std::abs(value.get_double()) < kExact &&
             std::trunc(value.get_double()) == value.get_double()) {
    value = static_cast<std::int64_t>(value.get_double());
  }
}

// Metadata is the same for all kinds.
TypedResult decode_metadata(JsonObject& object, MapKeys keys) {
  if (!object.contains("metadata")) return {};
  static const FieldType kType = [] {
    FieldType type{FieldType::Kind::object, "ObjectMeta"};
    type.fields.emplace("metadata", field_type("v1", "ConfigMap").fields.at("metadata"));
    return type;
  }();
  JsonObject only{{"metadata", object.at("metadata")}};
  TypedResult result = decode_typed(only, kType, "ObjectMeta", keys);
  object["metadata"] = std::move(only.at("metadata"));
  return result;
}

std::string_view go_type(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_number()) return "int";
  return value.is_object() ? "map" : "list";
}

std::optional<std::string> expected_type(const Json& value, const Structural& schema) {
  if (value.is_null() || schema.is_int_or_string || schema.type.empty()) return std::nullopt;
  const auto expect = [&](bool fits, std::string_view what) -> std::optional<std::string> {
    if (fits) return std::nullopt;
    return fmt::format("expected {}, got {}", what, go_type(value));
  };
  if (schema.type == "string") return expect(value.is_string(), "string");
  if (schema.type == "boolean") return expect(value.is_bool(), "boolean");
  if (schema.type == "object") return expect(value.is_object(), "map");
  if (schema.type == "array") return expect(value.is_array(), "list");
  return expect(value.is_number(), "numeric (int or float)");
}

bool has_default(const Structural& list, std::string_view key) {
  const Structural* const member = list.items == nullptr ? nullptr : list.items->member(key);
  return member != nullptr && member->default_value.has_value();
}

// Why an item of a list that is a map cannot be told from others.
std::optional<std::string> unkeyed(const Json& item, const Structural& list) {
  if (item.is_null()) return "associative list with keys may not have a null element";
  if (!item.is_object()) return "associative list with keys may not have non-map elements";
  const bool has_key = std::ranges::any_of(list.list_keys, [&](const std::string& key) {
    return item.get_object().contains(key) || has_default(list, key);
  });
  if (has_key) return std::nullopt;
  return fmt::format(
      "associative list with keys has an element that omits all key fields [\"{}\"] (and doesn't "
      "have default values for any key fields)",
      fmt::join(list.list_keys, "\" \""));
}

std::optional<std::string> find_unkeyed(const Json& value, const Structural& schema,
                                        const std::string& path) {
  if (!value.is_array() || schema.list_type != "map") return std::nullopt;
  std::size_t index = 0;
  for (const Json& item : value.get_array()) {
    if (auto wrong = unkeyed(item, schema)) {
      return fmt::format("{}: element {}: {}", path, index, *wrong);
    }
    ++index;
  }
  return std::nullopt;
}

std::optional<std::string> find_wrong(const Json& value, const Structural& schema,
                                      const std::string& path) {
  if (auto wrong = expected_type(value, schema)) return fmt::format("{}: {}", path, *wrong);
  if (auto wrong = find_unkeyed(value, schema, path)) return wrong;
  if (value.is_array() && schema.items != nullptr) {
    std::size_t index = 0;
    for (const Json& item : value.get_array()) {
      auto wrong = find_wrong(item, *schema.items, fmt::format("{}[{}]", path, index++));
      if (wrong) return wrong;
    }
  }
  if (!value.is_object()) return std::nullopt;
  for (const auto& [name, member] : value.get_object()) {
    const Structural* const known = schema.member(name);
    if (known == nullptr || (path.empty() && is_meta(name))) continue;
    auto wrong = find_wrong(member, *known, fmt::format("{}.{}", path, std::string_view(name)));
    if (wrong) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> find_undeclared(const Json& value, const Structural& schema,
                                           const std::string& path) {
  if (value.is_array() && schema.items != nullptr) {
    std::size_t index = 0;
    for (const Json& item : value.get_array()) {
      auto found = find_undeclared(item, *schema.items, fmt::format("{}[{}]", path, index++));
      if (found) return found;
    }
  }
  const bool is_open = schema.properties.empty() && !schema.has_values();
  if (!value.is_object() || is_open) return std::nullopt;
  for (const auto& [name, member] : value.get_object()) {
    if ((path.empty() || schema.is_embedded_resource) && is_meta(name)) continue;
    const std::string below = fmt::format("{}.{}", path, std::string_view(name));
    const Structural* const known = schema.member(name);
    if (known == nullptr && !schema.preserves_unknown) {
      return below + ": field not declared in schema";
    }
    if (known == nullptr) continue;
    if (auto found = find_undeclared(member, *known, below)) return found;
  }
  return std::nullopt;
}

}  // namespace

TypedResult decode_fields(JsonObject& object, const ResourceType& type, std::string_view version,
                          MapKeys keys) {
  if (type.defined == nullptr) return decode_typed(object, type.fields(version), type.kind, keys);
  TypedResult result = decode_metadata(object, keys);
  if (result.problem) return result;
  for (auto& [name, value] : object) write_whole_numbers(value);
  std::ranges::move(prune(object, defined_kind(type).schema, Root::resource),
                    std::back_inserter(result.unknown));
  return result;
}

std::optional<std::string> problem_with_applied(const JsonObject& object,
                                                const ResourceType& type) {
  if (type.defined == nullptr) return std::nullopt;
  const Json whole(object);
  const Structural& schema = defined_kind(type).schema;
  if (auto wrong = find_wrong(whole, schema, "")) return wrong;
  return find_undeclared(whole, schema, "");
}

}  // namespace dcm::apiserver
