#include "apiserver/definitions/list_items.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "apiserver/definitions/bounded_causes.hpp"

namespace dcm::apiserver {

namespace {

JsonObject keys_of(const Json& item, const Structural& list) {
  JsonObject keys;
  for (const std::string& name : list.list_keys) {
    const Json* const value = as_object(item).if_contains(name);
    if (value != nullptr) keys[name] = *value;
  }
  return keys;
}

void validate_list(const JsonArray& list, const Structural& schema, const std::string& path,
                   BoundedCauses& causes) {
  const bool is_map = schema.list_type == "map";
  const auto other = std::ranges::find_if(
      list, [&](const Json& item) { return is_map && !item.is_object() && !item.is_null(); });
  if (other != list.end()) {
    causes.add(invalid_value(fmt::format("{}[{}]", path, other - list.begin()), *other,
                             "must be an object for an array of list-type map"));
    return;
  }
  std::map<std::string, std::size_t> seen;
  std::size_t index = 0;
  for (const Json& item : list) {
    const std::string at = fmt::format("{}[{}]", path, index++);
    const Json key = is_map ? Json(keys_of(item, schema)) : item;
    // Each repeated value is reported once.
    if (++seen[serialize(key)] == 2) causes.add(duplicate_value(at, key));
  }
}

}  // namespace

OldItems::OldItems(const Json* old_list, const Structural& list) : list_(list) {
  if (list.list_type != "map" || old_list == nullptr || !old_list->is_array()) return;
  for (const Json& old : old_list->get_array()) {
    if (old.is_object()) items_.emplace(serialize(keys_of(old, list)), &old);
  }
}

const Json* OldItems::find(const Json& item) const {
  if (items_.empty()) return nullptr;
  const auto found = items_.find(serialize(keys_of(item, list_)));
  return found == items_.end() ? nullptr : found->second;
}

namespace {

bool is_unchanged_list(const Json& old, const JsonArray& list, const Structural& schema) {
  if (old.get_array().size() != list.size()) return false;
  if (schema.list_type != "map" || schema.items == nullptr) return old.get_array() == list;
  const OldItems items(&old, schema);
  return std::ranges::all_of(
      list, [&](const Json& item) { return is_unchanged(items.find(item), item, *schema.items); });
}

bool is_unchanged_object(const JsonObject& old, const JsonObject& object,
                         const Structural& schema) {
  if (old.size() != object.size()) return false;
  return std::ranges::all_of(object, [&](const auto& member) {
    const Structural* const known = schema.member(member.key());
    return known != nullptr && is_unchanged(old.if_contains(member.key()), member.value(), *known);
  });
}

}  // namespace

bool is_unchanged(const Json* old, const Json& value, const Structural& schema) {
  if (old == nullptr) return false;
  if (old->is_array() && value.is_array()) {
    return is_unchanged_list(*old, value.get_array(), schema);
  }
  if (old->is_object() && value.is_object()) {
    return is_unchanged_object(old->get_object(), value.get_object(), schema);
  }
  return *old == value;
}

namespace {

void validate_lists(const Json& value, const Structural& schema, const std::string& path,
                    BoundedCauses& causes) {
  if (causes.is_full()) return;
  if (value.is_array()) {
    if (schema.list_type == "set" || schema.list_type == "map") {
      validate_list(value.get_array(), schema, path, causes);
    }
    std::size_t index = 0;
    for (const Json& item : value.get_array()) {
      if (schema.items == nullptr) break;
      validate_lists(item, *schema.items, fmt::format("{}[{}]", path, index++), causes);
    }
  }
  if (!value.is_object()) return;
  for (const auto& [name, member] : value.get_object()) {
    const auto known = schema.properties.find(std::string_view(name));
    if (known != schema.properties.end()) {
      validate_lists(
          member, known->second,
          path.empty() ? std::string(name) : fmt::format("{}.{}", path, std::string_view(name)),
          causes);
    } else if (schema.has_values()) {
      validate_lists(member, *schema.values, fmt::format("{}[{}]", path, std::string_view(name)),
                     causes);
    }
  }
}

}  // namespace

void validate_unique_items(const Json& value, const Structural& schema, const std::string& path,
                           Causes& causes) {
  BoundedCauses found;
  validate_lists(value, schema, path, found);
  std::ranges::move(std::move(found).take(), std::back_inserter(causes));
}

}  // namespace dcm::apiserver
