// Validates a container's probes and lifecycle handlers.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_lifecycle(const JsonObject& container, const std::string& path, Causes& causes);
void validate_probes(const JsonObject& container, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
