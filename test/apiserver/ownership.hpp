// Who is said to manage the fields of an object after each kind of write (KEP-555). What the books
// look like is in managed_fields.hpp.
#pragma once

#include "test/apiserver/managed_fields.hpp"
#include "test/apiserver/target.hpp"

namespace dcm::apiserver {

Manager manager_of(const Target& target, Operation operation);

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
