// Validates definitions (k8s.io/apiextensions-apiserver
// pkg/apis/apiextensions/validation/validation.go).
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `old`: the definition before an update; null if new.
void validate_definition(const JsonObject& definition, const JsonObject* old, Causes& causes);
// The same for an update of its status.
void validate_definition_status(const JsonObject& definition, Causes& causes);

}  // namespace dcm::apiserver
