// The members of x-kubernetes-validations, apart from what their expressions mean.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Validates one schema, without nested schemas.
void validate_rule_texts(const JsonObject& schema, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
