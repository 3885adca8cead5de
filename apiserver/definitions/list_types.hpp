// How the lists and maps of a schema are merged, by x-kubernetes-list-type and the like: what is
// refused.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Of one schema, without nested ones.
void validate_list_types(const JsonObject& schema, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
