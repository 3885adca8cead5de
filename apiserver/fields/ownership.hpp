// Records the managers of an object's fields after each kind of write (KEP-555). managed_fields.hpp
// has the format of the records.
#pragma once

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/model/target.hpp"

namespace dcm::apiserver {

// Of which objects the books are kept.
enum class Ownership {
  of_all,
  of_applied,  // as if all else had been made before there was server-side apply
};

Manager manager_of(const Target& target, Operation operation);

// Makes it what Go writes, which its manager is said to own. A list that is never left out is there
// then, even if it is empty; neither is an empty list of statuses the same as none (`kept`). Of a
// kind that is defined, only the metadata is a struct.
void make_as_written(const ResourceType& type, JsonObject& object,
                     Path kept = {"requests", "resourceClaimStatuses",
                                  "nodeAllocatableResourceClaimStatuses"});

// Both make of the object what Go writes for it, unless it is applied.
//
// Applied fields belong to the applier, and defaults to no manager; a posted object belongs to its
// creator as a whole. `applied`: the fields that an apply claims; null for a POST.
void own_as_maker(const Target& target, JsonObject& object, const FieldSet* applied,
                  const std::string& now);

// A PUT may say who manages what (mostly it sends back what it has read); else nothing changes. An
// object without managers, because its creator applied nothing, stays so until an apply.
void own_as_writer(const Target& target, const JsonObject& old, JsonObject& next,
                   const std::string& now);

// Fields from before the first apply belong to a manager of that name, to be in conflict with.
void own_before_first_apply(const Target& target, JsonObject& live, const std::string& now);

}  // namespace dcm::apiserver
