// Where a container mounts the volumes of its pod (k8s.io/kubernetes pkg/apis/core/validation).
#pragma once

#include <string>

#include "apiserver/rules/volume_sources.hpp"

namespace dcm::apiserver {

// Validates mounts and block devices; `path` is that of the container.
void validate_volume_uses(const JsonObject& container, const Volumes& volumes,
                          const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
