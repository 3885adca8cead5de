// Records the managers of an object's fields after each kind of write (KEP-555). managed_fields.hpp
// has the format of the records.
#pragma once

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/model/target.hpp"

namespace dcm::apiserver {

// The objects whose ownership is tracked.
enum class Ownership {
  of_all,
  of_applied,  // as if all others had been created before server-side apply existed
};

Manager manager_of(const Target& target, Operation operation);

// Converts the object to what Go writes. A list that is always written is then
// present, even if empty; and an empty list of statuses differs from none (`kept`). For a defined
// kind, only the metadata is a struct.
void make_as_written(const ResourceType& type, JsonObject& object,
                     Path kept = {"requests", "resourceClaimStatuses",
                                  "nodeAllocatableResourceClaimStatuses"});

// Like own_as_writer(), converts the object to what Go writes, unless it is applied. Applied fields
// belong to the applier, and defaults to no manager; a posted object belongs to its creator as a
// whole. `applied`: the fields that an apply claims; null for a POST.
void own_as_maker(const Target& target, JsonObject& object, const FieldSet* applied,
                  const std::string& now);

// A PUT may state who manages what (mostly it repeats what it has read); otherwise nothing changes.
// An object without managers, because its creator applied nothing, stays so until an apply.
void own_as_writer(const Target& target, const JsonObject& old, JsonObject& next,
                   const std::string& now);

// Fields from before the first apply belong to a manager with that name, so that conflicts are
// possible.
void own_before_first_apply(const Target& target, JsonObject& live, const std::string& now);

}  // namespace dcm::apiserver
