// The fields of an object that `/scale` shows, at the paths that its definition names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The steps of ".spec.replicas".
std::vector<std::string> steps_of(std::string_view path);
// Null if the object has no such field.
const Json* value_at(const JsonObject& object, std::string_view path);

// Checks the replicas of an object: a number of at least 0, if present.
void validate_replicas(const JsonObject& object, const std::string& path, Causes& causes);
void validate_scale_selector(const JsonObject& object, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
