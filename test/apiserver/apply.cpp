#include "test/apiserver/apply.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

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

void merge_list(JsonArray& live, const JsonArray& wanted, const Schema& schema) {
  for (const Json& item : wanted) {
    Json* there = const_cast<Json*>(find_item(live, item_element(item, schema), schema));
    if (there == nullptr) {
      live.push_back(item);
    } else if (there->is_object() && item.is_object() &&
               schema.object == Schema::Object::granular) {
      merge_object(there->get_object(), item.get_object(), schema);
    } else {
      *there = item;
    }
  }
}

void merge_value(Json& live, const Json& wanted, const Schema& schema) {
  const bool objects = live.is_object() && wanted.is_object();
  const bool lists = live.is_array() && wanted.is_array();
  if (objects && schema.object == Schema::Object::granular) {
    merge_object(live.get_object(), wanted.get_object(), schema);
  } else if (lists && schema.list != Schema::List::atomic) {
    merge_list(live.get_array(), wanted.get_array(), schema);
  } else {
    live = wanted;
  }
}

void prune_object(JsonObject& object, const FieldSet& gone, const FieldSet* kept,
                  const Schema& schema);

// An item that somebody else still owns keeps its keys, whoever set them.
FieldSet without_keys(FieldSet item, const Schema& list) {
  for (const std::string& key : list.keys) item.children.erase("f:" + key);
  return item;
}

// Takes `gone` out of a value. Returns whether the value itself goes.
bool prune_value(Json& value, const FieldSet& gone, const FieldSet* kept, const Schema& schema) {
  if (kept == nullptr && gone.member) return true;
  if (value.is_object()) {
    prune_object(value.get_object(), gone, kept, schema);
    return value.get_object().empty() && kept == nullptr;
  }
  if (!value.is_array() || schema.list == Schema::List::atomic) return false;
  JsonArray left;
  for (Json& item : value.get_array()) {
    const std::string element = item_element(item, schema);
    const FieldSet* item_gone = gone.child(element);
    const FieldSet* item_kept = kept != nullptr ? kept->child(element) : nullptr;
    const bool goes = item_gone != nullptr && item_kept == nullptr;
    if (goes && prune_value(item, *item_gone, nullptr, schema)) continue;
    if (item_gone != nullptr && item_kept != nullptr) {
      prune_value(item, without_keys(*item_gone, schema), item_kept, schema);
    }
    left.push_back(std::move(item));
  }
  value = std::move(left);
  return value.get_array().empty() && kept == nullptr;
}

void prune_object(JsonObject& object, const FieldSet& gone, const FieldSet* kept,
                  const Schema& schema) {
  for (const auto& [element, set] : gone.children) {
    if (!element.starts_with("f:")) continue;
    const std::string_view name = std::string_view(element).substr(2);
    Json* value = object.if_contains(name);
    if (value == nullptr) continue;
    const FieldSet* kept_here = kept != nullptr ? kept->child(element) : nullptr;
    if (prune_value(*value, set, kept_here, schema.field(name))) object.erase(name);
  }
}

std::string describe(const Manager& manager) {
  const std::string_view using_version = manager.api_version;
  const std::string with =
      manager.subresource.empty()
          ? fmt::format("using {}", using_version)
          : fmt::format("with subresource \"{}\" using {}", manager.subresource, using_version);
  return fmt::format("conflict with \"{}\" {}", manager.name, with);
}

std::string dotted(std::string_view element) {
  if (element.starts_with("f:")) return fmt::format(".{}", element.substr(2));
  return fmt::format("[{}]", element.substr(2));
}

void collect_paths(const FieldSet& set, const std::string& at, std::vector<std::string>& paths) {
  if (set.member) paths.push_back(at);
  for (const auto& [element, below] : set.children) {
    collect_paths(below, at + dotted(element), paths);
  }
}

ApiError apply_conflict(const std::vector<const ManagedEntry*>& others, const FieldSet& fields) {
  JsonArray causes;
  for (const ManagedEntry* other : others) {
    std::vector<std::string> paths;
    collect_paths(intersection(other->fields, fields), "", paths);
    for (const std::string& path : paths) {
      causes.push_back(JsonObject{{"reason", "FieldManagerConflict"},
                                  {"message", describe(other->manager)},
                                  {"field", path}});
    }
  }
  ApiError error{409, "Conflict",
                 fmt::format("Apply failed with {} conflict{}: {}", causes.size(),
                             causes.size() == 1 ? "" : "s",
                             text_at(causes.front().get_object(), {"message"}))};
  error.details["causes"] = std::move(causes);
  return error;
}

}  // namespace

Outcome<JsonObject> apply_configuration(const ResourceType& type, const JsonObject& live,
                                        const ApplyRequest& request) {
  const Schema& schema = type.schema();
  ManagedFields managed(live);
  const FieldSet claimed = claimed_fields(request.wanted, schema, request.reset);

  Json merged = live;
  merge_object(merged.get_object(), request.wanted, schema);

  // Only a field whose value would change can be in conflict; equal values are shared.
  FieldSet contested = intersection(compare_fields(live, merged, schema).changed, claimed);
  const auto others = managed.others_owning(request.manager, contested);
  if (!others.empty() && request.force == ApplyForce::no) {
    return std::unexpected(apply_conflict(others, contested));
  }
  managed.take_from_others(request.manager, contested);

  if (const ManagedEntry* before = managed.find(request.manager)) {
    FieldSet gone = before->fields;
    gone.remove_all(claimed);
    FieldSet kept = managed.owned_by_others(request.manager);
    kept.insert_all(claimed);
    prune_object(merged.get_object(), gone, &kept, schema);
  }
  managed.set(request.manager, claimed, request.now);
  managed.write_to(merged.get_object());
  return std::move(merged.get_object());
}

}  // namespace dcm::apiserver
