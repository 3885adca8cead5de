// Validates how the lists and maps of a schema are merged: x-kubernetes-list-type and similar
// members.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Validates one schema, without nested schemas.
void validate_list_types(const JsonObject& schema, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
