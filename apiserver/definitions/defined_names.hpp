// The names of a defined kind: its resources, short names and categories.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `names`: those of the spec, or the accepted ones.
void validate_defined_names(const JsonObject& names, const std::string& path, Causes& causes);
// Reports missing names.
void require_defined_names(const JsonObject& names, const std::string& path, Causes& causes);
// A name that must be a label, such as that of a resource or a version.
void validate_name_label(const Json& value, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
