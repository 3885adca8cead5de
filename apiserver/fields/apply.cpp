#include "apiserver/fields/apply.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "apiserver/fields/apply_errors.hpp"
#include "apiserver/fields/go_members.hpp"
#include "apiserver/fields/last_applied.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

bool is_empty(const Json& value) {
  return (value.is_object() && value.get_object().empty()) ||
         (value.is_array() && value.get_array().empty());
}

void merge_value(Json& live, const Json& wanted, const Schema& schema);

void merge_object(JsonObject& live, const JsonObject& wanted, const Schema& schema) {
  for (const auto& [name, value] : wanted) {
    if (Json* there = live.if_contains(name)) {
      merge_value(*there, value, schema.field(name));
    } else {
      live[name] = value;
    }
  }
}

Json merged_item(const Json* live, const Json& wanted, const Schema& schema) {
  const bool is_granular = live != nullptr && live->is_object() && wanted.is_object() &&
                           schema.object == Schema::Object::granular;
  if (!is_granular) return wanted;
  Json merged = *live;
  merge_object(merged.get_object(), wanted.get_object(), schema);
  return merged;
}

// The order of structured-merge-diff: both lists keep theirs where possible, otherwise the applied
// one wins; items only in the live list stay as far to the front as they were.
void merge_list(JsonArray& live, const JsonArray& wanted, const Schema& schema) {
  std::vector<std::string> old_elements;
  std::map<std::string, const Json*> old_items;
  for (const Json& item : live) {
    old_elements.push_back(item_element(item, schema));
    old_items.emplace(old_elements.back(), &item);
  }
  std::vector<std::string> new_elements;
  std::vector<std::string> shared;
  for (const Json& item : wanted) {
    new_elements.push_back(item_element(item, schema));
    if (old_items.contains(new_elements.back())) shared.push_back(new_elements.back());
  }
  const std::set<std::string> all_wanted(new_elements.begin(), new_elements.end());
  const auto is_wanted = [&](const std::string& element) { return all_wanted.contains(element); };
  JsonArray merged;
  std::size_t l = 0;
  std::size_t next_shared = 0;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    // Up to the next shared item, items only in the live list come first.
    for (; l < live.size() && old_elements[l] != new_elements[w]; ++l) {
      if (!is_wanted(old_elements[l])) {
        merged.push_back(live[l]);
      } else if (next_shared < shared.size() && old_elements[l] == shared[next_shared]) {
        break;
      }
    }
    const auto old = old_items.find(new_elements[w]);
    merged.push_back(
        merged_item(old != old_items.end() ? old->second : nullptr, wanted[w], schema));
    if (next_shared < shared.size() && new_elements[w] == shared[next_shared]) ++next_shared;
  }
  for (; l < live.size(); ++l) {
    if (!is_wanted(old_elements[l])) merged.push_back(live[l]);
  }
  live = std::move(merged);
}

void merge_value(Json& live, const Json& wanted, const Schema& schema) {
  if (!is_granular(live, schema)) {
    live = wanted;
  } else if (live.is_object() && wanted.is_object()) {
    merge_object(live.get_object(), wanted.get_object(), schema);
  } else if (live.is_array() && wanted.is_array()) {
    merge_list(live.get_array(), wanted.get_array(), schema);
  } else if (!wanted.is_null() || is_empty(live)) {
    live = wanted;  // a null merges like an empty one
  }
}

void prune_object(JsonObject& object, const FieldSet& gone, const FieldSet* kept,
                  const Schema& schema);

// An item that another manager still owns keeps its keys, whichever manager set them.
FieldSet without_keys(FieldSet item, const Schema& list) {
  for (const std::string& key : list.keys) item.children.erase("f:" + key);
  return item;
}

void prune_list(Json& value, const FieldSet& gone, const FieldSet& kept, const Schema& schema) {
  JsonArray left;
  for (Json& item : value.get_array()) {
    const std::string element = item_element(item, schema);
    const FieldSet* item_gone = gone.child(element);
    const FieldSet* item_kept = kept.child(element);
    // A manager that owns only members of an item does not own the item itself.
    const bool is_held = item_kept != nullptr && item_kept->member;
    if (item_gone != nullptr && item_gone->member && !is_held) continue;
    if (item_gone != nullptr && item.is_object()) {
      prune_object(item.get_object(), without_keys(*item_gone, schema), item_kept, schema);
    }
    left.push_back(std::move(item));
  }
  value = std::move(left);
}

// Removes `gone` from a value partly owned by a manager. JSON of which nothing is left is null:
// structured-merge-diff makes it so, and conversion to a Go type would lose it.
void prune_value(Json& value, const FieldSet& gone, const FieldSet& kept, const Schema& schema) {
  if (is_empty(value)) return;
  if (value.is_object()) {
    prune_object(value.get_object(), gone, &kept, schema);
  } else if (value.is_array() && schema.list != Schema::List::atomic) {
    prune_list(value, gone, kept, schema);
  }
  if (schema.is_json && is_empty(value)) value = nullptr;
}

void prune_object(JsonObject& object, const FieldSet& gone, const FieldSet* kept,
                  const Schema& schema) {
  for (const auto& [element, set] : gone.children) {
    if (!element.starts_with("f:")) continue;
    const std::string_view name = std::string_view(element).substr(2);
    Json* value = object.if_contains(name);
    if (value == nullptr) continue;
    // A field without any owner is removed entirely, including parts that never had an owner.
    if (const FieldSet* held = kept != nullptr ? kept->child(element) : nullptr) {
      prune_value(*value, set, *held, schema.field(name));
    } else {
      object.erase(name);
    }
  }
}

// Drops the children that `tree` does not have.
void keep_within(FieldSet& set, const FieldSet& tree) {
  std::erase_if(set.children,
                [&](const auto& child) { return tree.child(child.first) == nullptr; });
  for (auto& [element, below] : set.children) keep_within(below, *tree.child(element));
}

// The fields that stay even if a manager releases them: those that identify the object, those owned
// by others, and those that come with them. To see a manager's fields of another version, the
// object is converted to it without the removed fields, and Go adds members that it always writes.
FieldSet kept_anyway(const ResourceType& type, const ManagedFields& managed,
                     const JsonObject& wanted, const Manager& manager) {
  FieldSet kept = managed.owned_by_others(manager);
  const auto keep = [&](const char* name) {
    kept.children["f:metadata"].children[std::string("f:") + name].member = true;
  };
  // Applied metadata is merged, unless there is none or it has only empty lists.
  const JsonObject& metadata = object_at(wanted, {"metadata"});
  const bool says_nothing =
      metadata.empty() ? !wanted.contains("metadata")
                       : std::ranges::all_of(metadata, [](const auto& member) {
                           return member.value().is_array() && member.value().get_array().empty();
                         });
  if (!says_nothing) keep("name");
  // Fields that the server adds to applied ones.
  if (type.namespaced()) keep("namespace");
  if (managed.has_other_version(manager.api_version)) {
    JsonObject nothing;
    write_as_go(type.built_in(), nothing);
    kept.insert_all(fields_of(nothing, type.schema()));
  }
  return kept;
}

}  // namespace

Result<JsonObject> apply_configuration(const ResourceType& type, const JsonObject& live,
                                       const ApplyRequest& request) {
  const Schema& schema = type.schema();
  if (auto unique = check_unique_items(type, request.wanted, request.manager.api_version);
      !unique) {
    return std::unexpected(std::move(unique.error()));
  }
  if (const std::string problem = type.strategy->untyped(live); !problem.empty()) {
    return std::unexpected(not_typed("live", live, type, request.manager.api_version, problem));
  }
  ManagedFields managed(live);
  const FieldSet claimed = claimed_fields(request.wanted, schema, request.reset);

  JsonObject merged = live;
  merge_object(merged, request.wanted, schema);

  // Managers of other versions are compared in theirs, where duplicate items are an error.
  if (managed.has_other_version(request.manager.api_version) && has_repeated_items(type, live)) {
    return std::unexpected(plain_failure("failed to convert old object: duplicate entries"));
  }
  // Only a field whose value would change can be in conflict; equal values are shared.
  FieldChanges changes = compare_fields(live, merged, schema);
  drop_unowned(changes.changed, request.reset);
  drop_unowned(changes.removed, request.reset);
  if (request.force == ApplyForce::no) {
    FieldSet contested = changes.changed;
    contested.remove_all(fields_last_applied(type, live, request.manager));
    const auto others = managed.others_owning(request.manager, contested);
    if (!others.empty()) return std::unexpected(apply_conflict(others, contested));
  }
  managed.take_from_others(request.manager, changes.changed);
  managed.take_from_others(request.manager, changes.removed);  // fields of former objects

  if (const ManagedEntry* before = managed.find(request.manager)) {
    FieldSet gone = before->fields();
    gone.remove_all(claimed);
    // A value without fields, such as an object with only an empty list, is not removed.
    keep_within(gone, fields_of(merged, schema));
    FieldSet kept = kept_anyway(type, managed, request.wanted, request.manager);
    kept.insert_all(claimed);
    prune_object(merged, gone, &kept, schema);
  }
  // An apply that changes no value leaves the manager's time as it is.
  const ManagedEntry* const before = managed.find(request.manager);
  const std::string unchanged = before != nullptr ? before->time() : "";
  managed.set(request.manager, claimed, merged == live ? unchanged : request.now);
  managed.write_to(merged);
  renew_last_applied(type, request.manager, request.wanted, merged);
  return merged;
}

}  // namespace dcm::apiserver
