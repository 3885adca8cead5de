#include "apiserver/fields/field_set.hpp"

#include <algorithm>

namespace dcm::apiserver {

namespace {

enum class Shape { leaf, object, list };

// Atomic objects and lists are leaves: owned and replaced as a whole.
Shape shape_of(const Json& value, const Schema& schema) {
  if (value.is_object() && schema.object == Schema::Object::granular) return Shape::object;
  if (value.is_array() && schema.list != Schema::List::atomic) return Shape::list;
  return Shape::leaf;
}

FieldSet fields_of(const Json& value, const Schema& schema);

// An entry of a map is always a field itself; a member of an object only if it is a leaf or empty.
void add_member(FieldSet& set, std::string_view name, const Json& value, const Schema& schema) {
  FieldSet below = fields_of(value, schema.field(name));
  below.member |= schema.values != nullptr && !schema.fields.contains(name);
  if (!below.empty()) set.children["f:" + std::string(name)] = std::move(below);
}

// The schema of an item: a list's schema without its list rules.
FieldSet fields_of_item(const Json& item, const Schema& list) {
  FieldSet set;
  if (list.list == Schema::List::map && item.is_object() &&
      list.object == Schema::Object::granular) {
    for (const auto& [name, value] : item.get_object()) {
      add_member(set, name, value, list);
    }
  }
  set.member = true;
  return set;
}

// Go omits an empty list of a built-in type.
bool is_none(const Json* value, const Schema& schema) {
  return value == nullptr ||
         (shape_of(*value, schema) == Shape::list && !schema.is_json && value->get_array().empty());
}

FieldSet whole(const Json& value, const Schema& schema);

FieldSet whole_object(const JsonObject& object, const Schema& schema) {
  FieldSet set;
  set.member = true;
  for (const auto& [name, value] : object) {
    const Schema& below = schema.field(name);
    if (!is_none(&value, below)) set.children["f:" + std::string(name)] = whole(value, below);
  }
  return set;
}

FieldSet whole_item(const Json& item, const Schema& list) {
  if (list.list == Schema::List::map && item.is_object() &&
      list.object == Schema::Object::granular) {
    return whole_object(item.get_object(), list);
  }
  return {.member = true, .children = {}};
}

// If several items have the same key, their members are not fields.
void add_item(FieldSet& list, const std::string& element, FieldSet item) {
  const auto [at, is_first] = list.children.try_emplace(element, std::move(item));
  if (!is_first) at->second.children.clear();
}

// A value added or removed as a whole: the objects and lists in it are fields as well.
FieldSet whole(const Json& value, const Schema& schema) {
  const Shape shape = shape_of(value, schema);
  if (shape == Shape::object) return whole_object(value.get_object(), schema);
  FieldSet set{.member = true, .children = {}};
  if (shape != Shape::list) return set;
  for (const Json& item : value.get_array()) {
    add_item(set, item_element(item, schema), whole_item(item, schema));
  }
  return set;
}

void compare_into(const Json* before, const Json* after, const Schema& schema, FieldSet& changed,
                  FieldSet& removed);

void compare_objects(const JsonObject& before, const JsonObject& after, const Schema& schema,
                     FieldSet& changed, FieldSet& removed) {
  const auto one = [&](std::string_view name, const Json* old, const Json* next) {
    FieldSet here_changed;
    FieldSet here_removed;
    compare_into(old, next, schema.field(name), here_changed, here_removed);
    if (here_changed.empty() && here_removed.empty()) return;
    const std::string element = "f:" + std::string(name);
    if (!here_changed.empty()) changed.children[element] = std::move(here_changed);
    if (!here_removed.empty()) removed.children[element] = std::move(here_removed);
  };
  for (const auto& [name, value] : before) one(name, &value, after.if_contains(name));
  for (const auto& [name, value] : after) {
    if (!before.contains(name)) one(name, nullptr, &value);
  }
}

// An element has several items if a list repeats it.
using Items = std::vector<const Json*>;

std::map<std::string, Items> items_by_element(const JsonArray& list, const Schema& schema) {
  std::map<std::string, Items> items;
  for (const Json& item : list) items[item_element(item, schema)].push_back(&item);
  return items;
}

void compare_items(const std::string& element, const Json& before, const Json& after,
                   const Schema& schema, FieldSet& changed, FieldSet& removed) {
  if (schema.object == Schema::Object::atomic) {
    if (before != after) changed.children[element].member = true;
  } else if (before.is_object() && after.is_object()) {
    FieldSet here_changed;
    FieldSet here_removed;
    compare_objects(before.get_object(), after.get_object(), schema, here_changed, here_removed);
    if (!here_changed.empty()) changed.children[element] = std::move(here_changed);
    if (!here_removed.empty()) removed.children[element] = std::move(here_removed);
  }
}

// Repeated items are compared as one value; changes of their number count as removal and addition.
void compare_repeated(const std::string& element, const Items& before, const Items& after,
                      const Schema& schema, FieldSet& changed, FieldSet& removed) {
  const bool was_repeated = before.size() > 1;
  const bool is_repeated = after.size() > 1;
  if (was_repeated && is_repeated) {
    const auto value = [](const Json* item) -> const Json& { return *item; };
    if (!std::ranges::equal(before, after, {}, value, value)) {
      changed.children[element].member = true;
    }
  } else if (was_repeated) {
    if (!after.empty()) changed.children[element] = whole_item(*after.front(), schema);
    removed.children[element].member = true;
  } else {
    if (!before.empty()) removed.children[element] = whole_item(*before.front(), schema);
    changed.children[element].member = true;
  }
}

void compare_lists(const JsonArray& before, const JsonArray& after, const Schema& schema,
                   FieldSet& changed, FieldSet& removed) {
  const auto old_items = items_by_element(before, schema);
  const auto new_items = items_by_element(after, schema);
  for (const auto& [element, items] : old_items) {
    const auto found = new_items.find(element);
    const Items still = found != new_items.end() ? found->second : Items();
    if (items.size() > 1 || still.size() > 1) {
      compare_repeated(element, items, still, schema, changed, removed);
    } else if (still.empty()) {
      removed.children[element] = whole_item(*items.front(), schema);
    } else {
      compare_items(element, *items.front(), *still.front(), schema, changed, removed);
    }
  }
  for (const auto& [element, items] : new_items) {
    if (old_items.contains(element)) continue;
    if (items.size() > 1) {
      compare_repeated(element, {}, items, schema, changed, removed);
    } else {
      changed.children[element] = whole_item(*items.front(), schema);
    }
  }
}

FieldSet fields_of(const Json& value, const Schema& schema) {
  FieldSet set;
  if (shape_of(value, schema) == Shape::object) {
    set = apiserver::fields_of(value.get_object(), schema);
  } else if (shape_of(value, schema) == Shape::list) {
    for (const Json& item : value.get_array()) {
      add_item(set, item_element(item, schema), fields_of_item(item, schema));
    }
  } else {
    set.member = true;
  }
  return set;
}

// The value itself changed, and what is or was below it came or went. A null takes any shape: then
// only the latter.
void compare_shapes(const Json& before, const Json& after, const Schema& schema, FieldSet& changed,
                    FieldSet& removed) {
  if (shape_of(before, schema) != Shape::leaf) {
    removed = whole(before, schema);
    removed.member = false;
  }
  const bool is_below =
      (before.is_null() || after.is_null()) && shape_of(before, schema) != shape_of(after, schema);
  if (shape_of(after, schema) != Shape::leaf) changed = whole(after, schema);
  changed.member = !is_below;
}

void compare_into(const Json* before, const Json* after, const Schema& schema, FieldSet& changed,
                  FieldSet& removed) {
  const bool was_none = is_none(before, schema);
  if (is_none(after, schema)) {
    if (!was_none) removed = whole(*before, schema);
    return;
  }
  if (was_none) {
    changed = whole(*after, schema);
    return;
  }
  const Shape shape = shape_of(*before, schema);
  const bool is_same_shape = shape == shape_of(*after, schema);
  if (is_same_shape && shape == Shape::object) {
    compare_objects(before->get_object(), after->get_object(), schema, changed, removed);
  } else if (*before == *after) {
    return;
  } else if (is_same_shape && shape == Shape::list) {
    compare_lists(before->get_array(), after->get_array(), schema, changed, removed);
  } else {
    compare_shapes(*before, *after, schema, changed, removed);
  }
}

}  // namespace

const FieldSet* FieldSet::child(std::string_view element) const {
  const auto found = children.find(element);
  return found == children.end() ? nullptr : &found->second;
}

void FieldSet::insert_all(const FieldSet& other) {
  member |= other.member;
  for (const auto& [element, set] : other.children) children[element].insert_all(set);
}

void FieldSet::remove_all(const FieldSet& other) {
  if (other.member) member = false;
  for (const auto& [element, set] : other.children) {
    const auto found = children.find(element);
    if (found == children.end()) continue;
    found->second.remove_all(set);
    if (found->second.empty()) children.erase(found);
  }
}

FieldSet intersection(const FieldSet& a, const FieldSet& b) {
  FieldSet both;
  both.member = a.member && b.member;
  for (const auto& [element, set] : a.children) {
    const FieldSet* other = b.child(element);
    if (other == nullptr) continue;
    if (FieldSet here = intersection(set, *other); !here.empty()) {
      both.children[element] = std::move(here);
    }
  }
  return both;
}

namespace {

// Whether from_json() reads `fields` as a member.
bool has_member(const JsonObject& fields) {
  return fields.empty() || fields.contains(".");
}

const JsonObject* below(const JsonObject& fields, std::string_view element) {
  const Json* value = fields.if_contains(element);
  return value == nullptr ? nullptr : value->if_object();
}

}  // namespace

bool overlaps(const JsonObject& fields, const FieldSet& set) {
  if (set.member && has_member(fields)) return true;
  return std::ranges::any_of(set.children, [&](const auto& child) {
    const JsonObject* here = below(fields, child.first);
    return here != nullptr && overlaps(*here, child.second);
  });
}

bool covers(const JsonObject& fields, const FieldSet& set) {
  if (set.member && !has_member(fields)) return false;
  return std::ranges::all_of(set.children, [&](const auto& child) {
    const JsonObject* here = below(fields, child.first);
    return here != nullptr && covers(*here, child.second);
  });
}

JsonObject FieldSet::to_json() const {
  JsonObject fields;
  fields.reserve(children.size() + 1);
  if (member && !children.empty()) fields["."] = JsonObject();
  for (const auto& [element, set] : children) fields[element] = set.to_json();
  return fields;
}

FieldSet FieldSet::from_json(const JsonObject& fields) {
  FieldSet set;
  set.member = has_member(fields);
  for (const auto& [element, value] : fields) {
    if (element != "." && value.is_object()) {
      set.children[std::string(element)] = from_json(value.get_object());
    }
  }
  return set;
}

bool is_granular(const Json& value, const Schema& schema) {
  return shape_of(value, schema) != Shape::leaf;
}

std::string item_element(const Json& item, const Schema& list) {
  if (list.list != Schema::List::map || !item.is_object()) return "v:" + serialize_as_go(item);
  JsonObject keys;
  for (const std::string& key : list.keys) {
    const Json* value = item.get_object().if_contains(key);
    if (value == nullptr) value = list.key_defaults.if_contains(key);
    if (value != nullptr) keys[key] = *value;
  }
  return "k:" + serialize_as_go(Json(std::move(keys)));
}

FieldSet fields_of(const JsonObject& object, const Schema& schema) {
  FieldSet set;
  for (const auto& [name, member] : object) {
    add_member(set, name, member, schema);
  }
  // An empty object is a field itself; an empty list of identifiable items is not.
  set.member = object.empty();
  return set;
}

FieldChanges compare_fields(const JsonObject& before, const JsonObject& after,
                            const Schema& schema) {
  FieldChanges changes;
  compare_objects(before, after, schema, changes.changed, changes.removed);
  return changes;
}

}  // namespace dcm::apiserver
