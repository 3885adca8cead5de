// What the API refuses in the probes of a container, and in what it runs at its start and end.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_lifecycle(const JsonObject& container, const std::string& path, Causes& causes);
void validate_probes(const JsonObject& container, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
