// Which devices the specs of the Container Device Interface describe: what a container runtime
// would find there (github.com/cncf-tags/container-device-interface, SPEC.md).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "node/files.hpp"

namespace dcm::node {

// Full names ("gpu.example.com/gpu=gpu-0") of the devices in the *.json and *.yaml of the folders.
// Folders that are not there have none, nor have files that cannot be read, are no specs, or are
// larger than 1 MiB.
std::set<std::string> cdi_devices_in(Files& files, const std::vector<std::string>& folders);

}  // namespace dcm::node
