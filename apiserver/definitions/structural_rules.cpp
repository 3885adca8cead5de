#include "apiserver/definitions/structural_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/definitions/property_path.hpp"
#include "apiserver/definitions/structural.hpp"
#include "cel/regex.hpp"

namespace dcm::apiserver {

namespace {

enum class Level { root, item, field };

// anyOf: integer or string, in this order.
bool is_int_or_string_choice(const JsonObject& schema) {
  static const JsonArray kChoice{JsonObject{{"type", "integer"}}, JsonObject{{"type", "string"}}};
  return array_at(schema, {"anyOf"}) == kChoice;
}

// Parts of a schema that may have types, because they declare an integer or a string.
struct Excused {
  bool any_of = false;
  bool any_of_in_first_all_of = false;
};

class Checker {
 public:
  explicit Checker(Causes& causes) : causes_(causes) {}

  void check_spine(const JsonObject& schema, Level level, const std::string& path) {
    const std::string_view type = text_at(schema, {"type"});
    if (type == "array" && !has(schema, {"items"})) {
      causes_.push_back(required_value(path + ".items", "must be specified"));
    }
    if (has(schema, {"items"}))
      check_spine(object_at(schema, {"items"}), Level::item, path + ".items");
    for (const auto& [name, property] : object_at(schema, {"properties"})) {
      check_spine(as_object(property), Level::field, property_path(path, name));
    }
    check_additional_properties(schema, level, path);
    check_extensions(schema, path);
    const JsonArray& all_of = array_at(schema, {"allOf"});
    check_values(schema,
                 {is_int_or_string_choice(schema),
                  !all_of.empty() && is_int_or_string_choice(as_object(all_of.front()))},
                 path);
    check_type(schema, level, path);
    check_metadata(schema, level, path);
  }

  // Fields and items of a part that only restricts values must also be declared outside.
  void check_complete(const JsonObject& values, const JsonObject* spine,
                      const std::string& spine_path, const std::string& path) {
    for_each_alternative(values, path, [&](const JsonObject& one, const std::string& at) {
      check_complete_one(one, spine, spine_path, at);
    });
  }

 private:
  void check_complete_one(const JsonObject& values, const JsonObject* spine,
                          const std::string& spine_path, const std::string& path) {
    if (spine == nullptr) {
      causes_.push_back(
          required_value(spine_path, fmt::format("because it is defined in {}", path)));
      return;
    }
    check_complete(values, spine, spine_path, path);
    if (has(values, {"items"})) {
      check_complete_one(object_at(values, {"items"}),
                         has(*spine, {"items"}) ? &object_at(*spine, {"items"}) : nullptr,
                         spine_path + ".items", path + ".items");
    }
    for (const auto& [name, value] : object_at(values, {"properties"})) {
      const JsonObject* const known =
          has(*spine, {"properties", name}) ? &object_at(*spine, {"properties", name}) : nullptr;
      check_complete_one(as_object(value), known, property_path(spine_path, name),
                         property_path(path, name));
    }
  }

  void check_additional_properties(const JsonObject& schema, Level level, const std::string& path) {
    if (!has(schema, {"additionalProperties"})) return;
    const std::string below = path + ".additionalProperties";
    if (level == Level::root) {
      causes_.push_back(forbidden_value(below, "must not be used at the root"));
    }
    if (schema.at("additionalProperties").is_object()) {
      check_spine(object_at(schema, {"additionalProperties"}), Level::field, below);
    }
  }

  void check_extensions(const JsonObject& schema, const std::string& path) {
    if (!has_true(schema, "x-kubernetes-int-or-string")) return;
    for (const auto* name :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (!has_true(schema, name)) continue;
      causes_.push_back(invalid_value(fmt::format("{}.{}", path, name), Json(true),
                                      "must be false if x-kubernetes-int-or-string is true"));
    }
  }

  void check_values(const JsonObject& schema, Excused excused, const std::string& path) {
    for_each_alternative(schema, path, [&](const JsonObject& one, const std::string& at) {
      if (excused.any_of && at.starts_with(path + ".anyOf[")) return;
      const bool is_first = at == path + ".allOf[0]";
      check_nested(one, {is_first && excused.any_of_in_first_all_of, false}, at);
    });
    const std::string_view pattern = text_at(schema, {"pattern"});
    if (pattern.empty()) return;
    if (const auto regex = cel::Regex::compile(pattern); !regex) {
      causes_.push_back(invalid_value(
          path + ".pattern", Json(pattern),
          fmt::format("must be a valid regular expression, but isn't: {}", regex.error())));
    }
  }

  // A schema that may only restrict values.
  void check_nested(const JsonObject& schema, Excused excused, const std::string& path) {
    check_values(schema, excused, path);
    if (has(schema, {"items"})) check_nested(object_at(schema, {"items"}), {}, path + ".items");
    for (const auto& [name, property] : object_at(schema, {"properties"})) {
      check_nested(as_object(property), {}, property_path(path, name));
    }
    struct Forbidden {
      std::string_view name;
      std::string_view must;
    };
    constexpr Forbidden kForbidden[] = {
        {"type", "empty"},
        {"additionalProperties", "undefined"},
        {"default", "undefined"},
        {"title", "empty"},
        {"description", "empty"},
        {"nullable", "false"},
        {"x-kubernetes-preserve-unknown-fields", "false"},
        {"x-kubernetes-embedded-resource", "false"},
        {"x-kubernetes-int-or-string", "false"},
        {"x-kubernetes-list-map-keys", "empty"},
        {"x-kubernetes-list-type", "undefined"},
        {"x-kubernetes-map-type", "undefined"},
        {"x-kubernetes-validations", "empty"},
    };
    for (const Forbidden& one : kForbidden) {
      if (!schema.contains(one.name)) continue;
      causes_.push_back(forbidden_value(fmt::format("{}.{}", path, one.name),
                                        fmt::format("must be {} to be structural", one.must)));
    }
    if (has(schema, {"properties", "metadata"})) {
      causes_.push_back(forbidden_value(property_path(path, "metadata"),
                                        "must not be specified in a nested context"));
    }
  }

  void check_type(const JsonObject& schema, Level level, const std::string& path) {
    const std::string_view type = text_at(schema, {"type"});
    const bool is_embedded = has_true(schema, "x-kubernetes-embedded-resource");
    const bool can_be_any = has_true(schema, "x-kubernetes-int-or-string") ||
                            has_true(schema, "x-kubernetes-preserve-unknown-fields");
    const std::string field = path + ".type";
    if (is_embedded && type != "object") {
      constexpr auto kWhy = "must be object if x-kubernetes-embedded-resource is true";
      causes_.push_back(type.empty() ? required_value(field, kWhy)
                                     : invalid_value(field, Json(type), kWhy));
    } else if (type.empty() && !can_be_any) {
      constexpr std::string_view kPlaces[] = {"at the root", "for specified array items",
                                              "for specified object fields"};
      causes_.push_back(required_value(
          field, fmt::format("must not be empty {}", kPlaces[static_cast<int>(level)])));
    }
    if (is_embedded && has(schema, {"additionalProperties"})) {
      causes_.push_back(
          forbidden_value(path + ".additionalProperties",
                          "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (level == Level::root && !type.empty() && type != "object") {
      causes_.push_back(invalid_value(field, Json(type), "must be object at the root"));
    }
  }

  void require_type(const JsonObject& schema, std::string_view name, std::string_view type,
                    const std::string& path) {
    if (!has(schema, {"properties", name})) return;
    const std::string_view found = text_at(schema, {"properties", name, "type"});
    if (found == type) return;
    causes_.push_back(invalid_value(property_path(path, name) + ".type", Json(found),
                                    fmt::format("must be {}", type)));
  }

  void check_metadata(const JsonObject& schema, Level level, const std::string& path) {
    const bool is_embedded = has_true(schema, "x-kubernetes-embedded-resource");
    if (level == Level::root || is_embedded) {
      require_type(schema, "kind", "string", path);
      require_type(schema, "apiVersion", "string", path);
      require_type(schema, "metadata", "object", path);
    }
    if (level == Level::root && has(schema, {"properties", "metadata"})) {
      check_root_metadata(object_at(schema, {"properties", "metadata"}),
                          property_path(path, "metadata"));
    }
    const bool is_empty = is_embedded &&
                          !has_true(schema, "x-kubernetes-preserve-unknown-fields") &&
                          object_at(schema, {"properties"}).empty();
    if (!is_empty) return;
    causes_.push_back(required_value(path + ".properties",
                                     "must not be empty if x-kubernetes-embedded-resource is true "
                                     "without x-kubernetes-preserve-unknown-fields"));
  }

  void check_root_metadata(const JsonObject& metadata, const std::string& path) {
    const bool is_plain = std::ranges::all_of(metadata, [&](const auto& member) {
      if (member.key() == "type" || member.key() == "default") return true;
      return member.key() == "properties" &&
             std::ranges::all_of(as_object(member.value()), [](const auto& property) {
               return property.key() == "name" || property.key() == "generateName";
             });
    });
    if (is_plain) return;
    causes_.push_back(forbidden_value(path,
                                      "must not specify anything other than name and generateName, "
                                      "but metadata is implicitly specified"));
  }

  Causes& causes_;
};

}  // namespace

void validate_structural(const JsonObject& schema, const std::string& path, Causes& causes) {
  Causes found;
  Checker checker(found);
  checker.check_spine(schema, Level::root, path);
  checker.check_complete(schema, &schema, path, path);
  std::ranges::sort(found, {},
                    [](const Cause& cause) { return cause.field + ": " + cause.message; });
  std::ranges::move(found, std::back_inserter(causes));
}

}  // namespace dcm::apiserver
