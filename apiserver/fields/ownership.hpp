// Who is said to manage the fields of an object after each kind of write (KEP-555). What the books
// look like is in managed_fields.hpp.
#pragma once

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/front/target.hpp"

namespace dcm::apiserver {

// Of which objects the books are kept.
enum class Ownership {
  of_all,
  of_applied,  // as if all else had been made before there was server-side apply
};

Manager manager_of(const Target& target, Operation operation);

// Makes it what Go writes, which its manager is said to own. A list that is never left out is there
// then, even if it is empty.
void make_as_written(const ResourceType& type, JsonObject& object);

// Both make of the object what Go writes for it, unless it is applied.
//
// What is applied belongs to the applier, and the defaults that nobody asked for to nobody; what is
// posted belongs to its maker as a whole. `applied`: what an apply claims; null for a POST.
void own_as_maker(const Target& target, JsonObject& object, const FieldSet* applied,
                  const std::string& now);

// A PUT may say who manages what (it sends back what it has read, mostly); else it is as it was. An
// object that nobody manages, because its maker applied nothing, stays so until an apply.
void own_as_writer(const Target& target, const JsonObject& old, JsonObject& next,
                   const std::string& now);

// What was there before anybody applied belongs to a manager of that name, to be in conflict with.
void own_before_first_apply(const Target& target, JsonObject& live, const std::string& now);

}  // namespace dcm::apiserver
