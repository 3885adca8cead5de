// metav1.Condition, the kind of condition that newer APIs carry in their status.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The API's rules for a list of conditions: known values, all members set, each type once.
void validate_conditions(const JsonArray& conditions, const std::string& path, Causes& causes);

// Gives each condition of a status its `message`, which is never left out.
void complete_conditions(JsonObject& object);

// Puts a condition in place of the one of its type, or at the end; the time of the transition,
// `now`, is kept if the status stays (apimachinery's meta.SetStatusCondition).
void set_condition(JsonArray& conditions, JsonObject condition, const std::string& now);

// The condition of that type; null when there is none.
const JsonObject* find_condition(const JsonArray& conditions, std::string_view type);

}  // namespace dcm::apiserver
