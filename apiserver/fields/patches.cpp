#include "apiserver/fields/patches.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";
constexpr std::string_view kElementOrder = "$setElementOrder/";

bool is_directive(std::string_view key) {
  return key == kDirective || key == kRetainKeys || key.starts_with(kDeleteFromList) ||
         key.starts_with(kElementOrder);
}

std::string_view directive_of(const Json& item) {
  return item.is_object() ? text_at(item.get_object(), {kDirective}) : std::string_view();
}

// A patch for something that is not there yet is the thing itself, without its directives.
Json without_directives(const Json& patch) {
  if (patch.is_object()) {
    JsonObject plain;
    for (const auto& [key, value] : patch.get_object()) {
      if (!is_directive(key) && !value.is_null()) plain[key] = without_directives(value);
    }
    return plain;
  }
  if (!patch.is_array()) return patch;
  JsonArray plain;
  for (const Json& item : patch.get_array()) {
    const std::string_view directive = directive_of(item);
    if (directive != "delete" && directive != "replace") plain.push_back(without_directives(item));
  }
  return plain;
}

void delete_from_list(JsonObject& object, std::string_view name, const Json& gone) {
  Json* list = object.if_contains(name);
  if (list == nullptr || !list->is_array() || !gone.is_array()) return;
  JsonArray kept;
  for (const Json& item : list->get_array()) {
    if (std::ranges::find(gone.get_array(), item) == gone.get_array().end()) kept.push_back(item);
  }
  *list = std::move(kept);
}

void retain_keys(JsonObject& object, const Json& keys) {
  if (!keys.is_array()) return;
  JsonObject kept;
  for (const auto& [key, value] : object) {
    if (std::ranges::find(keys.get_array(), Json(key)) != keys.get_array().end()) kept[key] = value;
  }
  object = std::move(kept);
}

// What the list repeats already goes as well.
void merge_scalars(JsonArray& list, const JsonArray& patch) {
  JsonArray merged;
  std::set<std::string> seen;
  for (const JsonArray* const part : {&std::as_const(list), &patch}) {
    for (const Json& item : *part) {
      if (seen.insert(serialize(item)).second) merged.push_back(item);
    }
  }
  list = std::move(merged);
}

// Where an item stands in a list, by its key (or as a whole if there is none); the list's size if
// it is not there.
std::size_t position(const JsonArray& list, const Json& item, const std::string& key) {
  const auto found = std::ranges::find_if(list, [&](const Json& other) {
    return key.empty() ? other == item : same_item(other, item, key);
  });
  return static_cast<std::size_t>(found - list.begin());
}

// The order that strategicpatch gives a merged list: items that the patch names in the order of
// `wanted`, the others in the order of `before`; one of these goes before one of those only if it
// did so in `before`.
JsonArray in_order(const JsonArray& merged, const JsonArray& wanted, const JsonArray& before,
                   const std::string& key) {
  std::vector<const Json*> named;
  std::vector<const Json*> others;
  for (const Json& item : merged) {
    (position(wanted, item, key) < wanted.size() ? named : others).push_back(&item);
  }
  std::ranges::sort(named, {}, [&](const Json* item) { return position(wanted, *item, key); });
  JsonArray ordered;
  auto next = named.begin();
  for (const Json* other : others) {
    const std::size_t place = position(before, *other, key);
    while (next != named.end()) {
      const std::size_t named_place = position(before, **next, key);
      if (named_place < before.size() && place < named_place) break;
      ordered.push_back(**next++);
    }
    ordered.push_back(*other);
  }
  for (; next != named.end(); ++next) ordered.push_back(**next);
  return ordered;
}

Outcome<> merge_item(JsonArray& list, const Json& patch, const Schema& schema) {
  if (!patch.is_object() || !patch.get_object().contains(schema.merge_key)) {
    return std::unexpected(plain_failure(fmt::format(
        "map: {} does not contain declared merge key: {}", serialize(patch), schema.merge_key)));
  }
  const auto found = std::ranges::find_if(
      list, [&](const Json& item) { return same_item(item, patch, schema.merge_key); });
  if (directive_of(patch) == "delete") {
    if (found != list.end()) list.erase(found);
    return {};
  }
  if (found == list.end()) {
    list.push_back(without_directives(patch));
    return {};
  }
  return apply_strategic_merge_patch(found->get_object(), patch.get_object(), schema);
}

Outcome<> merge_list(JsonArray& list, const JsonArray& patch, const Schema& schema) {
  const bool replaces = std::ranges::any_of(patch, [](const Json& item) {
    return directive_of(item) == "replace" && item.get_object().size() == 1;
  });
  if (replaces) {
    list = without_directives(patch).get_array();
    return {};
  }
  const JsonArray before = list;
  if (schema.merge_key.empty()) {
    merge_scalars(list, patch);
  } else {
    for (const Json& item : patch) {
      if (auto merged = merge_item(list, item, schema); !merged) return merged;
    }
  }
  list = in_order(list, patch, before, schema.merge_key);
  return {};
}

// `$setElementOrder/<list>`: orders the list when its changes have been made.
void set_element_order(JsonObject& object, std::string_view name, const Json& wanted,
                       const JsonObject& before, const Schema& schema) {
  Json* list = object.if_contains(name);
  if (list == nullptr || !list->is_array() || !wanted.is_array()) return;
  *list = in_order(list->get_array(), wanted.get_array(), array_at(before, {name}),
                   schema.field(name).merge_key);
}

Outcome<> merge_member(JsonObject& object, std::string_view key, const Json& patch,
                       const Schema& schema) {
  Json* there = object.if_contains(key);
  if (patch.is_null()) {
    object.erase(key);
    return {};
  }
  if (there == nullptr || there->is_null()) {
    // A map that is to be replaced or deleted, and is not there, stays so: strategicpatch drops it.
    if (directive_of(patch).empty()) object[key] = without_directives(patch);
    return {};
  }
  if (there->is_object() && patch.is_object()) {
    return apply_strategic_merge_patch(there->get_object(), patch.get_object(), schema);
  }
  if (there->is_array() && patch.is_array() && schema.patch == Schema::Patch::merge) {
    return merge_list(there->get_array(), patch.get_array(), schema);
  }
  *there = without_directives(patch);
  return {};
}

}  // namespace

void apply_merge_patch(JsonObject& object, const JsonObject& patch) {
  for (const auto& [key, value] : patch) {
    if (value.is_null()) {
      object.erase(key);
    } else if (value.is_object()) {
      apply_merge_patch(child(object, key), value.get_object());
    } else {
      object[key] = value;
    }
  }
}

Outcome<> apply_strategic_merge_patch(JsonObject& object, const JsonObject& patch,
                                      const Schema& schema) {
  const std::string_view directive = text_at(patch, {kDirective});
  if (directive == "delete" || directive == "replace") {
    JsonObject plain = without_directives(patch).get_object();
    object = directive == "delete" ? JsonObject() : std::move(plain);
    return {};
  }
  if (!directive.empty() && directive != "merge") {
    return std::unexpected(plain_failure(fmt::format("unknown patch type: {}", directive)));
  }
  const bool orders = std::ranges::any_of(
      patch, [](const auto& member) { return member.key().starts_with(kElementOrder); });
  const JsonObject before = orders ? object : JsonObject();
  if (const Json* keys = patch.if_contains(kRetainKeys)) retain_keys(object, *keys);
  for (const auto& [key, value] : patch) {
    const std::string_view name = key;
    if (name.starts_with(kDeleteFromList)) {
      delete_from_list(object, name.substr(kDeleteFromList.size()), value);
    }
    if (is_directive(name)) continue;
    if (auto merged = merge_member(object, name, value, schema.field(name)); !merged) return merged;
  }
  for (const auto& [key, value] : patch) {
    const std::string_view name = key;
    if (!name.starts_with(kElementOrder)) continue;
    set_element_order(object, name.substr(kElementOrder.size()), value, before, schema);
  }
  return {};
}

bool same_item(const Json& a, const Json& b, const std::string& key) {
  if (!a.is_object() || !b.is_object()) return false;
  const Json* left = a.get_object().if_contains(key);
  const Json* right = b.get_object().if_contains(key);
  return left != nullptr && right != nullptr && *left == *right;
}

}  // namespace dcm::apiserver
