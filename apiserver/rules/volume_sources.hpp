// The volumes of a pod: their names and sources, except legacy in-tree drivers (k8s.io/kubernetes
// pkg/apis/core/validation).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The volume modes in which containers can use a volume.
enum class VolumeModes : std::uint8_t { filesystem, filesystem_or_block };
using Volumes = std::map<std::string_view, VolumeModes>;  // by name

// Returns the valid ones.
Volumes validate_volumes(const JsonArray& volumes, const std::string& path, Causes& causes);
// Whether a step of the path is "..".
bool goes_back(std::string_view path);

}  // namespace dcm::apiserver
