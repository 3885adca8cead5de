// The members of x-kubernetes-validations, apart from what their expressions mean.
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Of one schema, without nested ones.
void validate_rule_texts(const JsonObject& schema, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
