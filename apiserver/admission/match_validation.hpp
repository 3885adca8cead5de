// What the API rejects in the matchConstraints of policies and the matchResources of bindings.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_match_resources(const JsonObject& resources, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
