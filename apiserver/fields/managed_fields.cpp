#include "apiserver/fields/managed_fields.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace dcm::apiserver {

namespace {

Manager decode_manager(const JsonObject& entry) {
  const bool is_applied = text_at(entry, {"operation"}) == "Apply";
  return {
      std::string(text_at(entry, {"manager"})), is_applied ? Operation::apply : Operation::update,
      std::string(text_at(entry, {"subresource"})), std::string(text_at(entry, {"apiVersion"}))};
}

// Fields that identify or version an object have no owner.
const FieldSet& unowned_fields() {
  static const FieldSet kSet = [] {
    FieldSet set;
    set.children["f:apiVersion"].member = true;
    set.children["f:kind"].member = true;
    FieldSet& metadata = set.children["f:metadata"];
    metadata.member = true;
    for (const auto* name : {"name", "namespace", "uid", "resourceVersion", "generation",
                             "creationTimestamp", "selfLink"}) {
      metadata.children["f:" + std::string(name)].member = true;
    }
    return set;
  }();
  return kSet;
}

}  // namespace

void drop_unowned(FieldSet& set, const std::vector<std::string>& reset) {
  set.remove_all(unowned_fields());
  for (const std::string& path : reset) {
    const auto dot = path.find('.');
    const auto parent = set.children.find("f:" + path.substr(0, dot));
    if (dot == std::string::npos) {
      if (parent != set.children.end()) set.children.erase(parent);
    } else if (parent != set.children.end()) {
      parent->second.children.erase("f:" + path.substr(dot + 1));
    }
  }
  if (const auto metadata = set.children.find("f:metadata"); metadata != set.children.end()) {
    metadata->second.children.erase("f:managedFields");
    if (metadata->second.empty()) set.children.erase(metadata);
  }
  set.member = false;
}

ManagedEntry::ManagedEntry(const JsonObject& written)
    : manager_(decode_manager(written)),
      time_(text_at(written, {"time"})),
      written_(&object_at(written, {"fieldsV1"})) {}

ManagedEntry::ManagedEntry(Manager manager, std::string time, const FieldSet& fields)
    : manager_(std::move(manager)), time_(std::move(time)), changed_(fields.to_json()) {}

// An object without fields is not a field itself, unlike one below it.
FieldSet ManagedEntry::fields() const {
  FieldSet fields = FieldSet::from_json(fields_v1());
  fields.member = false;
  return fields;
}

bool ManagedEntry::lose(const FieldSet& lost) {
  if (!owns_any(lost)) return true;
  FieldSet left = fields();
  left.remove_all(lost);
  changed_ = left.to_json();
  written_ = nullptr;
  return !left.empty();
}

JsonObject ManagedEntry::to_json() const {
  JsonObject encoded{{"manager", manager_.name},
                     {"operation", manager_.operation == Operation::apply ? "Apply" : "Update"},
                     {"apiVersion", manager_.api_version}};
  if (!time_.empty()) encoded["time"] = time_;
  encoded["fieldsType"] = "FieldsV1";
  encoded["fieldsV1"] = fields_v1();
  if (!manager_.subresource.empty()) encoded["subresource"] = manager_.subresource;
  return encoded;
}

ManagedFields::ManagedFields(const JsonObject& object) {
  for (const Json& entry : array_at(object, {"metadata", "managedFields"})) {
    if (entry.is_object()) entries_.emplace_back(entry.get_object());
  }
}

const ManagedEntry* ManagedFields::find(const Manager& manager) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const ManagedEntry& entry) { return entry.manager().same_as(manager); });
  return found == entries_.end() ? nullptr : &*found;
}

FieldSet ManagedFields::owned_by_others(const Manager& manager) const {
  FieldSet owned;
  for (const ManagedEntry& entry : entries_) {
    if (!entry.manager().same_as(manager)) owned.insert_all(entry.fields());
  }
  return owned;
}

bool ManagedFields::has_other_version(std::string_view api_version) const {
  return std::ranges::any_of(entries_, [&](const ManagedEntry& entry) {
    return entry.manager().api_version != api_version;
  });
}

std::vector<const ManagedEntry*> ManagedFields::others_owning(const Manager& manager,
                                                              const FieldSet& fields) const {
  std::vector<const ManagedEntry*> others;
  for (const ManagedEntry& entry : entries_) {
    if (!entry.manager().same_as(manager) && entry.owns_any(fields)) others.push_back(&entry);
  }
  return others;
}

void ManagedFields::take_from_others(const Manager& manager, const FieldSet& fields) {
  std::erase_if(entries_, [&](ManagedEntry& entry) {
    return !entry.manager().same_as(manager) && !entry.lose(fields);
  });
}

void ManagedFields::take_from_others(const Manager& manager, std::string_view api_version,
                                     const FieldSet& fields) {
  std::erase_if(entries_, [&](ManagedEntry& entry) {
    return entry.manager().api_version == api_version && !entry.manager().same_as(manager) &&
           !entry.lose(fields);
  });
}

void ManagedFields::remove_everywhere(const FieldSet& fields) {
  std::erase_if(entries_, [&](ManagedEntry& entry) { return !entry.lose(fields); });
}

void ManagedFields::add(const Manager& manager, const FieldSet& fields, const std::string& time) {
  const ManagedEntry* mine = find(manager);
  if (mine != nullptr && mine->owns_all(fields)) return;
  FieldSet owned = mine != nullptr ? mine->fields() : FieldSet();
  owned.insert_all(fields);
  set(manager, owned, time);
}

void ManagedFields::set(const Manager& manager, const FieldSet& fields, const std::string& time) {
  const auto found = std::ranges::find_if(
      entries_, [&](const ManagedEntry& entry) { return entry.manager().same_as(manager); });
  if (found == entries_.end()) {
    if (!fields.empty()) entries_.emplace_back(manager, time, fields);
    return;
  }
  if (fields.empty()) {
    entries_.erase(found);
  } else {
    *found = ManagedEntry(manager, time, fields);
  }
}

FieldSet ManagedFields::take(const Manager& manager) {
  const ManagedEntry* const entry = find(manager);
  if (entry == nullptr) return {};
  FieldSet fields = entry->fields();
  entries_.erase(entries_.begin() + (entry - entries_.data()));
  return fields;
}

namespace {

// Orders entries by time, and entries of one time by manager. (managedfields.go)
auto age_of(const ManagedEntry& entry) {
  const Manager& manager = entry.manager();
  return std::tuple(entry.time(), manager.name, manager.api_version, manager.subresource);
}

}  // namespace

void ManagedFields::merge_oldest_updates() {
  constexpr std::size_t kUpdatesMax = 10;
  std::vector<ManagedEntry> updates;
  std::ranges::copy_if(entries_, std::back_inserter(updates), [](const ManagedEntry& entry) {
    return entry.manager().operation == Operation::update;
  });
  std::ranges::sort(updates, {}, age_of);
  std::map<std::string, Manager> firsts;  // by version
  std::size_t count = updates.size();
  for (const ManagedEntry& update : updates) {
    if (count <= kUpdatesMax) return;
    const std::string& version = update.manager().api_version;
    const auto [first, is_first] = firsts.try_emplace(version, update.manager());
    if (is_first) continue;
    const Manager merged{"ancient-changes", Operation::update, "", version};
    FieldSet fields = take(find(merged) != nullptr ? merged : first->second);
    fields.insert_all(take(update.manager()));
    entries_.emplace_back(merged, update.time(), fields);
    --count;
  }
}

void ManagedFields::write_to(JsonObject& object) const {
  std::vector<const ManagedEntry*> sorted;
  for (const ManagedEntry& entry : entries_) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const ManagedEntry* entry) {
    return std::pair(entry->manager().operation == Operation::update, age_of(*entry));
  });
  JsonArray encoded;
  for (const ManagedEntry* entry : sorted) encoded.push_back(entry->to_json());
  JsonObject& metadata = child(object, "metadata");
  if (encoded.empty()) {
    metadata.erase("managedFields");
  } else {
    metadata["managedFields"] = std::move(encoded);
  }
}

namespace {

bool is_valid_set(const JsonObject& fields) {
  return std::ranges::all_of(fields, [](const auto& field) {
    const std::string_view element = field.key();
    if (element == ".") return true;
    const bool is_known =
        element.size() >= 2 && element[1] == ':' && std::string_view("fkvi").contains(element[0]);
    return is_known && field.value().is_object() && is_valid_set(field.value().get_object());
  });
}

bool is_valid_entry(const JsonObject& entry) {
  const std::string_view operation = text_at(entry, {"operation"});
  const Json* const fields = entry.if_contains("fieldsV1");
  return (operation == "Apply" || operation == "Update") &&
         !text_at(entry, {"apiVersion"}).empty() && text_at(entry, {"fieldsType"}) == "FieldsV1" &&
         (fields == nullptr || (fields->is_object() && is_valid_set(fields->get_object())));
}

}  // namespace

bool has_valid_managers(const JsonObject& object) {
  return std::ranges::all_of(array_at(object, {"metadata", "managedFields"}),
                             [](const Json& entry) { return is_valid_entry(as_object(entry)); });
}

bool resets_managers(const JsonObject& object) {
  const Json* const entries = find(object, {"metadata", "managedFields"});
  if (entries == nullptr || !entries->is_array()) return false;
  const JsonArray& list = entries->get_array();
  return list.empty() || (list.size() == 1 && as_object(list.front()).empty());
}

namespace {

bool same_entry(const Json& a, const Json& b) {
  const auto same = [&](std::string_view name) {
    const Json* left = as_object(a).if_contains(name);
    const Json* right = as_object(b).if_contains(name);
    return left == nullptr || right == nullptr ? left == right : *left == *right;
  };
  const bool is_applied = text_at(as_object(a), {"operation"}) == "Apply";
  return same("manager") && same("operation") && same("subresource") && same("fieldsV1") &&
         (is_applied || same("apiVersion"));
}

}  // namespace

bool same_managers(const JsonObject& a, const JsonObject& b) {
  return std::ranges::equal(array_at(a, {"metadata", "managedFields"}),
                            array_at(b, {"metadata", "managedFields"}), same_entry);
}

FieldSet claimed_fields(const JsonObject& object, const Schema& schema,
                        const std::vector<std::string>& reset) {
  FieldSet set = fields_of(object, schema);
  drop_unowned(set, reset);
  return set;
}

ManagedFields tracked_update(ManagedFields managed, const JsonObject& before,
                             const JsonObject& after, const Schema& schema, const Manager& manager,
                             const std::vector<std::string>& reset, const std::string& now) {
  FieldChanges changes = compare_fields(before, after, schema);
  drop_unowned(changes.changed, reset);
  drop_unowned(changes.removed, reset);
  managed.take_from_others(manager, changes.changed);
  managed.remove_everywhere(changes.removed);
  managed.add(manager, changes.changed, now);
  managed.merge_oldest_updates();
  return managed;
}

}  // namespace dcm::apiserver
