// The names of a defined kind: of its resources, short names, categories.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `names`: of the spec, or those accepted.
void validate_defined_names(const JsonObject& names, const std::string& path, Causes& causes);
// Reports the missing ones.
void require_defined_names(const JsonObject& names, const std::string& path, Causes& causes);
// A name that is a label: of a resource, a version.
void validate_name_label(const Json& value, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
