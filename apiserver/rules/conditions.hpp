// metav1.Condition, used in the status of newer APIs.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The API's rules for a list of conditions: known values, all members set, each type once.
void validate_conditions(const JsonArray& conditions, const std::string& path, Causes& causes);

// Sets the `message` of each condition, which is always written.
void complete_conditions(JsonObject& object);

// Replaces the condition of its type, or appends it; keeps the transition time if the status is
// unchanged, otherwise sets `now` (apimachinery's meta.SetStatusCondition).
void set_condition(JsonArray& conditions, JsonObject condition, const std::string& now);

// The condition of that type; null if there is none.
const JsonObject* find_condition(const JsonArray& conditions, std::string_view type);
// Whether the status of the object has that condition with the status True.
bool has_condition(const JsonObject& object, std::string_view type);

}  // namespace dcm::apiserver
