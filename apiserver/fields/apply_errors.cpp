#include "apiserver/fields/apply_errors.hpp"

#include <set>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

std::string describe(const ManagedEntry& owner) {
  const Manager& manager = owner.manager();
  std::string text = fmt::format("\"{}\"", manager.name);
  if (!manager.subresource.empty()) {
    text += fmt::format(" with subresource \"{}\"", manager.subresource);
  }
  if (manager.operation == Operation::update) text += fmt::format(" using {}", manager.api_version);
  return text;
}

// The members of a level precede their contents.
void collect_paths(const FieldSet& set, const std::string& at, std::vector<std::string>& paths) {
  for (const auto& [element, below] : set.children) {
    if (below.member) paths.push_back(at + path_element(element));
  }
  for (const auto& [element, below] : set.children) {
    collect_paths(below, at + path_element(element), paths);
  }
}

struct Conflict {
  std::string owner;
  std::string path;
};

std::string message_of(const std::vector<Conflict>& conflicts) {
  if (conflicts.size() == 1) {
    return fmt::format("Apply failed with 1 conflict: conflict with {}: {}",
                       conflicts.front().owner, conflicts.front().path);
  }
  std::string text = fmt::format("Apply failed with {} conflicts:", conflicts.size());
  std::set<std::string> owners;
  for (const Conflict& conflict : conflicts) owners.insert(conflict.owner);
  for (const std::string& owner : owners) {
    text += fmt::format("{}conflicts with {}:", text.ends_with(':') ? " " : "\n", owner);
    for (const Conflict& conflict : conflicts) {
      if (conflict.owner == owner) text += "\n- " + conflict.path;
    }
  }
  return text;
}

// The path and key of the first duplicate item; "" if none.
std::string find_duplicate(const Json& value, const Schema& schema, const std::string& path);

std::string find_duplicate_member(const JsonObject& object, const Schema& schema,
                                  const std::string& path) {
  for (const auto& [name, value] : object) {
    const std::string below = path + "." + std::string(name);
    if (auto found = find_duplicate(value, schema.field(name), below); !found.empty()) return found;
  }
  return "";
}

std::string find_duplicate(const Json& value, const Schema& schema, const std::string& path) {
  if (value.is_object()) return find_duplicate_member(value.get_object(), schema, path);
  if (!value.is_array() || schema.list == Schema::List::atomic) return "";
  std::set<std::string> seen;
  for (const Json& item : value.get_array()) {
    const std::string element = item_element(item, schema);
    if (!seen.insert(element).second) {
      return fmt::format("{}: duplicate entries for key {}", path, path_element(element));
    }
    if (!item.is_object()) continue;
    auto found = find_duplicate_member(item.get_object(), schema, path + path_element(element));
    if (!found.empty()) return found;
  }
  return "";
}

// A key of an item, as structured-merge-diff shows values.
std::string shown_key(const Json& value) {
  std::string text;
  if (value.is_array()) {
    for (const Json& item : value.get_array()) text += (text.empty() ? "" : ",") + shown_key(item);
    return "[" + text + "]";
  }
  if (!value.is_object()) return serialize_as_go(value);
  for (const auto& [name, member] : value.get_object()) {
    text += fmt::format("{}={}", std::string_view(name), shown_key(member));
  }
  return text;
}

}  // namespace

std::string path_element(std::string_view element) {
  const std::string_view text = element.substr(2);
  if (element.starts_with("f:")) return fmt::format(".{}", text);
  if (element.starts_with("v:")) return fmt::format("[={}]", text);
  std::string problem;
  const auto keys = parse(text, problem);
  std::string joined;
  for (const auto& [key, value] : keys->get_object()) {
    if (!joined.empty()) joined += ',';
    joined += fmt::format("{}={}", std::string_view(key), shown_key(value));
  }
  return fmt::format("[{}]", joined);
}

ApiError apply_conflict(const std::vector<const ManagedEntry*>& others, const FieldSet& fields) {
  std::vector<Conflict> conflicts;
  for (const ManagedEntry* other : others) {
    std::vector<std::string> paths;
    collect_paths(intersection(other->fields(), fields), "", paths);
    for (std::string& path : paths) conflicts.push_back({describe(*other), std::move(path)});
  }
  JsonArray causes;
  for (const Conflict& conflict : conflicts) {
    causes.push_back(JsonObject{{"reason", "FieldManagerConflict"},
                                {"message", "conflict with " + conflict.owner},
                                {"field", conflict.path}});
  }
  return {409, "Conflict", message_of(conflicts), JsonObject{{"causes", std::move(causes)}}};
}

ApiError not_typed(std::string_view which, const JsonObject& object, const ResourceType& type,
                   std::string_view api_version, std::string_view problem) {
  return plain_failure(fmt::format("failed to create typed {} object ({}/{}; {}{}, Kind={}): {}",
                                   which, text_at(object, {"metadata", "namespace"}),
                                   text_at(object, {"metadata", "name"}),
                                   type.group.empty() ? "/" : "", api_version, type.kind, problem));
}

bool has_repeated_items(const ResourceType& type, const JsonObject& object) {
  return !find_duplicate_member(object, type.schema(), "").empty();
}

Result<> check_unique_items(const ResourceType& type, const JsonObject& wanted,
                            std::string_view api_version) {
  const std::string found = find_duplicate_member(wanted, type.schema(), "");
  if (found.empty()) return {};
  return std::unexpected(not_typed("patch", wanted, type, api_version, found));
}

}  // namespace dcm::apiserver
