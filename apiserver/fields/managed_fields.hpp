// `metadata.managedFields`: which manager owns which fields of an object (KEP-555).
//
// A manager is identified by name, operation (Apply or Update) and subresource, and for updates
// also by API version; a manager keeps what it applied under another version.
#pragma once

#include <string>
#include <vector>

#include "apiserver/fields/field_set.hpp"

namespace dcm::apiserver {

enum class Operation { apply, update };

struct Manager {
  std::string name;
  Operation operation;
  std::string subresource;  // "" for the main path
  std::string api_version;

  bool same_as(const Manager& other) const {
    return name == other.name && operation == other.operation && subresource == other.subresource &&
           (operation == Operation::apply || api_version == other.api_version);
  }
};

// The fields of one manager. Most writes leave most entries unchanged, so they stay as JSON until
// they change.
class ManagedEntry {
 public:
  // `written` comes from write_to() or a client, and must outlive this.
  explicit ManagedEntry(const JsonObject& written);
  ManagedEntry(Manager manager, std::string time, const FieldSet& fields);

  const Manager& manager() const { return manager_; }
  const std::string& time() const { return time_; }
  FieldSet fields() const;
  bool owns_any(const FieldSet& fields) const { return overlaps(fields_v1(), fields); }
  bool owns_all(const FieldSet& fields) const { return covers(fields_v1(), fields); }
  // Removes the fields; returns whether any are left.
  bool lose(const FieldSet& fields);
  JsonObject to_json() const;

 private:
  const JsonObject& fields_v1() const { return written_ != nullptr ? *written_ : changed_; }

  Manager manager_;
  std::string time_;
  const JsonObject* written_ = nullptr;
  JsonObject changed_;  // if nothing has been written
};

class ManagedFields {
 public:
  ManagedFields() = default;
  // Reads the entries of `object`, which must outlive this unchanged.
  explicit ManagedFields(const JsonObject& object);

  // The entry of that manager; null if it owns nothing.
  const ManagedEntry* find(const Manager& manager) const;
  // The union of the fields that all others own.
  FieldSet owned_by_others(const Manager& manager) const;
  // All entries that own some of `fields`, except `manager`'s.
  std::vector<const ManagedEntry*> others_owning(const Manager& manager,
                                                 const FieldSet& fields) const;

  // Adds to the fields that the manager owns; `time` is set if that is a change.
  void add(const Manager& manager, const FieldSet& fields, const std::string& time);
  void take_from_others(const Manager& manager, const FieldSet& fields);
  // The same for what others own in a version of the API.
  void take_from_others(const Manager& manager, std::string_view api_version,
                        const FieldSet& fields);
  void remove_everywhere(const FieldSet& fields);
  // Replaces the fields of the manager. Empty: the manager is removed.
  void set(const Manager& manager, const FieldSet& fields, const std::string& time);

  // Removes the entry of the manager; returns its fields.
  FieldSet take(const Manager& manager);
  // Keeps at most ten managers that update: merges the oldest into one for each version, as the
  // real server does.
  void merge_oldest_updates();

  bool empty() const { return entries_.empty(); }
  // Whether anything is owned under another version than that.
  bool has_other_version(std::string_view api_version) const;
  void write_to(JsonObject& object) const;

 private:
  std::vector<ManagedEntry> entries_;
};

// Whether a client's `managedFields` can be decoded. If not, those of the live object count.
bool has_valid_managers(const JsonObject& object);
// Whether a client resets `managedFields` by an empty list or one empty entry.
bool resets_managers(const JsonObject& object);

// Whether the same managers own the same fields of two objects, regardless of times. Both were
// written by write_to().
bool same_managers(const JsonObject& a, const JsonObject& b);

// Drops the fields that nobody owns: those of identity and version, and `reset`, those that the
// endpoint does not write ("spec", "metadata.labels").
void drop_unowned(FieldSet& set, const std::vector<std::string>& reset);

// The fields that a written object claims: all except its identity and what the endpoint restores
// anyway (`reset`, top-level names).
FieldSet claimed_fields(const JsonObject& object, const Schema& schema,
                        const std::vector<std::string>& reset);

// The owners after a create (`before` is an object without fields), a PUT or a patch; `managed`:
// the owners before.
ManagedFields tracked_update(ManagedFields managed, const JsonObject& before,
                             const JsonObject& after, const Schema& schema, const Manager& manager,
                             const std::vector<std::string>& reset, const std::string& now);

}  // namespace dcm::apiserver
