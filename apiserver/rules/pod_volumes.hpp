// The volumes of a pod: their names and sources, except legacy in-tree drivers; where containers
// mount them; and what a claim for one asks (k8s.io/kubernetes pkg/apis/core/validation).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// How containers can use a volume: only some kinds can be block devices.
enum class VolumeUse : std::uint8_t { file, file_or_block };
using Volumes = std::map<std::string_view, VolumeUse>;  // by name

// Returns the valid ones.
Volumes validate_volumes(const JsonArray& volumes, const std::string& path, Causes& causes);
// `path` is that of the container.
void validate_uses_of_volumes(const JsonObject& container, const Volumes& volumes,
                              const std::string& path, Causes& causes);
// The spec of a PersistentVolumeClaim.
void validate_volume_claim(const JsonObject& spec, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
