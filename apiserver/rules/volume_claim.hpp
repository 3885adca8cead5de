// PersistentVolumeClaims, and a StatefulSet's templates of them (k8s.io/kubernetes
// pkg/apis/core/validation).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `old` is null for a create.
void validate_volume_claim(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_volume_claim_spec(const JsonObject& spec, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
