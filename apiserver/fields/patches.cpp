#include "apiserver/fields/patches.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"

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

// A patch for something that does not exist yet is the thing itself, without its directives.
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

std::set<std::string> texts_of(const JsonArray& items) {
  std::set<std::string> texts;
  for (const Json& item : items) texts.insert(serialize(item));
  return texts;
}

void delete_from_list(JsonObject& object, std::string_view name, const Json& gone) {
  Json* list = object.if_contains(name);
  if (list == nullptr || !list->is_array() || !gone.is_array()) return;
  const std::set<std::string> texts = texts_of(gone.get_array());
  JsonArray kept;
  for (const Json& item : list->get_array()) {
    if (!texts.contains(serialize(item))) kept.push_back(item);
  }
  *list = std::move(kept);
}

void retain_keys(JsonObject& object, const Json& keys) {
  if (!keys.is_array()) return;
  const std::set<std::string> texts = texts_of(keys.get_array());
  JsonObject kept;
  for (const auto& [key, value] : object) {
    if (texts.contains(serialize(Json(key)))) kept[key] = value;
  }
  object = std::move(kept);
}

// Duplicates already in the list are removed as well.
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

// The text that identifies an item: its key, or the whole item if its list has no key. nullopt if
// the item lacks the key.
std::optional<std::string> text_of_key(const Json& item, const std::string& key) {
  if (key.empty()) return serialize(item);
  const Json* const value = item.is_object() ? item.get_object().if_contains(key) : nullptr;
  if (value == nullptr) return std::nullopt;
  return serialize(*value);
}

// The positions of items in a list; a list of tens of thousands is walked once.
class Places {
 public:
  Places(const JsonArray& list, const std::string& key) : key_(key), end_(list.size()) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (const auto text = text_of_key(list[i], key)) places_.emplace(*text, i);
    }
  }
  // The list's size if missing.
  std::size_t of(const Json& item) const {
    const auto text = text_of_key(item, key_);
    const auto found = text ? places_.find(*text) : places_.end();
    return found == places_.end() ? end_ : found->second;
  }
  bool contains(const Json& item) const { return of(item) < end_; }
  std::size_t end() const { return end_; }

 private:
  const std::string& key_;
  std::size_t end_;
  std::map<std::string, std::size_t> places_;
};

// The order that strategicpatch gives a merged list: items named by the patch in the order of
// `wanted`, others in the order of `before`; one of the others precedes a named one only if it did
// so in `before`.
JsonArray in_order(const JsonArray& merged, const JsonArray& wanted, const JsonArray& before,
                   const std::string& key) {
  const Places wanted_places(wanted, key);
  const Places places_before(before, key);
  std::vector<std::pair<std::size_t, const Json*>> named;
  std::vector<const Json*> others;
  for (const Json& item : merged) {
    if (wanted_places.contains(item)) {
      named.emplace_back(wanted_places.of(item), &item);
    } else {
      others.push_back(&item);
    }
  }
  std::ranges::sort(named, {}, &std::pair<std::size_t, const Json*>::first);
  JsonArray ordered;
  auto next = named.begin();
  for (const Json* other : others) {
    const std::size_t place = places_before.of(*other);
    for (; next != named.end(); ++next) {
      const std::size_t named_place = places_before.of(*next->second);
      if (named_place < places_before.end() && place < named_place) break;
      ordered.push_back(*next->second);
    }
    ordered.push_back(*other);
  }
  for (; next != named.end(); ++next) ordered.push_back(*next->second);
  return ordered;
}

// The items of a list by merge key, while a patch is merged into it.
class MergedList {
 public:
  MergedList(JsonArray& list, const Schema& schema) : list_(list), schema_(schema) {
    for (std::size_t i = 0; i < list.size(); ++i) note(i);
  }

  Result<> merge(const Json& patch) {
    const auto key = text_of_key(patch, schema_.merge_key);
    if (!key) {
      return std::unexpected(plain_failure(fmt::format(
          "map: {} does not contain declared merge key: {}", serialize(patch), schema_.merge_key)));
    }
    if (directive_of(patch) == "delete") {
      for (const std::size_t place : std::exchange(places_[*key], {})) list_[place] = nullptr;
      return {};
    }
    if (places_[*key].empty()) {
      list_.push_back(without_directives(patch));
      note(list_.size() - 1);
      return {};
    }
    return apply_strategic_merge_patch(list_[places_[*key].front()].get_object(),
                                       patch.get_object(), schema_);
  }

  void drop_deleted() {
    JsonArray kept;
    for (Json& item : list_) {
      if (!item.is_null()) kept.push_back(std::move(item));
    }
    list_ = std::move(kept);
  }

 private:
  void note(std::size_t place) {
    if (const auto key = text_of_key(list_[place], schema_.merge_key)) {
      places_[*key].push_back(place);
    }
  }

  JsonArray& list_;
  const Schema& schema_;
  std::map<std::string, std::vector<std::size_t>> places_;
};

Result<> merge_list(JsonArray& list, const JsonArray& patch, const Schema& schema) {
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
    MergedList merged(list, schema);
    for (const Json& item : patch) {
      if (auto done = merged.merge(item); !done) return done;
    }
    merged.drop_deleted();
  }
  list = in_order(list, patch, before, schema.merge_key);
  return {};
}

// `$setElementOrder/<list>`: orders the list after its changes.
void set_element_order(JsonObject& object, std::string_view name, const Json& wanted,
                       const JsonObject& before, const Schema& schema) {
  Json* list = object.if_contains(name);
  if (list == nullptr || !list->is_array() || !wanted.is_array()) return;
  *list = in_order(list->get_array(), wanted.get_array(), array_at(before, {name}),
                   schema.field(name).merge_key);
}

Result<> merge_member(JsonObject& object, std::string_view key, const Json& patch,
                      const Schema& schema) {
  Json* there = object.if_contains(key);
  if (patch.is_null()) {
    object.erase(key);
    return {};
  }
  if (there == nullptr || there->is_null()) {
    // Replacing or deleting a missing map does nothing: strategicpatch drops it.
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

// Without members that are null, also in the items of lists (RFC 7396 would keep these).
Json without_nulls(const Json& value) {
  if (value.is_array()) {
    JsonArray items;
    for (const Json& item : value.get_array()) items.push_back(without_nulls(item));
    return items;
  }
  if (!value.is_object()) return value;
  JsonObject object;
  for (const auto& [name, member] : value.get_object()) {
    if (!member.is_null()) object.emplace(name, without_nulls(member));
  }
  return object;
}

}  // namespace

// As the library of the real server does it (gopkg.in/evanphx/json-patch.v4).
void apply_merge_patch(JsonObject& object, const JsonObject& patch) {
  for (const auto& [key, value] : patch) {
    Json* const there = object.if_contains(key);
    if (value.is_null()) {
      object.stable_erase(key);
    } else if (there == nullptr || !there->is_object()) {
      object[key] = without_nulls(value);
    } else if (value.is_object()) {
      apply_merge_patch(there->get_object(), value.get_object());
    } else {
      *there = value;
    }
  }
}

Result<> apply_strategic_merge_patch(JsonObject& object, const JsonObject& patch,
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

}  // namespace dcm::apiserver
