// Validates ConfigMaps and Secrets (k8s.io/kubernetes pkg/apis/core/validation). `old` is null for
// a create.
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_config_map(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_secret(const JsonObject& next, const JsonObject* old, Causes& causes);

}  // namespace dcm::apiserver
