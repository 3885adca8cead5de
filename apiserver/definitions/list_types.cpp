#include "apiserver/definitions/list_types.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/property_path.hpp"

namespace dcm::apiserver {

namespace {

class ListTypes {
 public:
  explicit ListTypes(Causes& causes) : causes_(causes) {}

  void validate(const JsonObject& schema, const std::string& path) {
    check_extensions(schema, path);
    check_map_keys(schema, path);
    check_items(schema, path);
  }

 private:
  void forbid(const std::string& path, std::string_view name, std::string_view why) {
    causes_.push_back(forbidden_value(fmt::format("{}.{}", path, name), why));
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

  void check_extensions(const JsonObject& schema, const std::string& path) {
    const Json* const preserves = schema.if_contains("x-kubernetes-preserve-unknown-fields");
    if (preserves != nullptr && *preserves == Json(false)) {
      causes_.push_back(invalid_value(path + ".x-kubernetes-preserve-unknown-fields", *preserves,
                                      "must be true or undefined"));
    }
    require_type(schema, path, "x-kubernetes-map-type", "object");
    const std::string_view map_type = text_at(schema, {"x-kubernetes-map-type"});
    if (has(schema, {"x-kubernetes-map-type"})) {
      validate_choice(map_type, {"atomic", "granular"}, path + ".x-kubernetes-map-type", causes_);
    }
    require_type(schema, path, "x-kubernetes-list-type", "array");
    const std::string_view list_type = text_at(schema, {"x-kubernetes-list-type"});
    if (list_type == "set" && text_at(schema, {"type"}) == "array")
      check_items_of_set(schema, path);
    if (!has(schema, {"x-kubernetes-list-type"})) return;
    validate_choice(list_type, {"atomic", "set", "map"}, path + ".x-kubernetes-list-type", causes_);
  }

  void check_items_of_set(const JsonObject& schema, const std::string& path) {
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

  void check_map_keys(const JsonObject& schema, const std::string& path) {
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
    check_key_names(schema, path);
  }

  // Each problem is reported once, because its text shows all keys.
  void check_key_names(const JsonObject& schema, const std::string& path) {
    const JsonArray& keys = array_at(schema, {"x-kubernetes-list-map-keys"});
    const std::string keys_path = path + ".x-kubernetes-list-map-keys";
    std::set<std::string_view> problems;
    const auto refuse = [&](std::string_view why) {
      if (problems.insert(why).second) causes_.push_back(invalid_value(keys_path, keys, why));
    };
    std::set<std::string_view> seen;
    for (const Json& key : keys) {
      const std::string_view name = as_text(key);
      if (!has(schema, {"items", "properties", name})) {
        refuse("entries must all be names of item properties");
      } else {
        require_scalar(schema, path, name);
      }
      if (!seen.insert(name).second) refuse("must not contain duplicate entries");
    }
  }

  void require_scalar(const JsonObject& schema, const std::string& path, std::string_view name) {
    const std::string_view type = text_at(schema, {"items", "properties", name, "type"});
    if (type != "array" && type != "object") return;
    causes_.push_back(
        invalid_value(property_path(path + ".items", name) + ".type", Json("object"),
                      "must be a scalar type if parent array's x-kubernetes-list-type is map"));
  }

  void check_items(const JsonObject& schema, const std::string& path) {
    const std::string_view type = text_at(schema, {"x-kubernetes-list-type"});
    const JsonObject& items = object_at(schema, {"items"});
    if ((type != "set" && type != "map") || items.empty()) return;
    if (has_true(items, "nullable")) {
      forbid(path, "items.nullable",
             fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type));
    }
    if (type == "set") return;
    const JsonArray& required = array_at(items, {"required"});
    for (const Json& key : array_at(schema, {"x-kubernetes-list-map-keys"})) {
      const std::string_view name = as_text(key);
      const JsonObject& property = object_at(items, {"properties", name});
      if (!has(items, {"properties", name})) continue;
      const std::string field = property_path(path + ".items", name);
      if (std::ranges::find(required, key) == required.end() && !has(property, {"default"})) {
        causes_.push_back(required_value(field + ".default",
                                         "this property is in x-kubernetes-list-map-keys, so it "
                                         "must have a default or be a required property"));
      }
      if (has_true(property, "nullable")) {
        forbid(field, "nullable",
               "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
      }
    }
  }

  Causes& causes_;
};

}  // namespace

void validate_list_types(const JsonObject& schema, const std::string& path, Causes& causes) {
  ListTypes(causes).validate(schema, path);
}

}  // namespace dcm::apiserver
