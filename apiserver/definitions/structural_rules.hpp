// Whether a schema is structural: all field types are declared outside of allOf, anyOf, oneOf and
// not (k8s.io/apiextensions-apiserver pkg/apiserver/schema/{validation,complete}.go).
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_structural(const JsonObject& schema, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
