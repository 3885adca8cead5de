// Whether the schema of a definition is structural and valid.
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

enum class StatusIs { apart, part };  // whether there is a subresource /status

// `path` is that of the schema's wrapper: "spec.validation". `known_rules`: unchanged rules are not
// rejected for their costs.
void validate_schema(const JsonObject& schema, const std::string& path, StatusIs status,
                     Causes& causes);

}  // namespace dcm::apiserver
