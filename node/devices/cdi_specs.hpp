// Which devices the specs of the Container Device Interface describe: what a container runtime
// would find (github.com/cncf-tags/container-device-interface, SPEC.md).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "node/files.hpp"

namespace dcm::node {

// Full names ("gpu.example.com/gpu=gpu-0") of the devices in the folders' *.json and *.yaml files.
// Missing folders are skipped, and so are files that are unreadable, invalid, or larger than 1 MiB.
std::set<std::string> cdi_devices_in(Files& files, const std::vector<std::string>& folders);

}  // namespace dcm::node
