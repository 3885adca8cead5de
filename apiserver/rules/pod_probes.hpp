// What the API refuses in the probes of a container.
#pragma once

#include <string>

#include "apiserver/rules/api_error.hpp"

namespace dcm::apiserver {

void validate_probes(const JsonObject& container, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
