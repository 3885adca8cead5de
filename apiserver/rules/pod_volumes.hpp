// The volumes of a pod: their names and sources, except legacy in-tree drivers
// (k8s.io/kubernetes pkg/apis/core/validation, ValidateVolumes).
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_volumes(const JsonArray& volumes, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
