// The GPUs of a node, which are made up: what they look like in ResourceSlices.
#pragma once

#include <set>
#include <string>

#include "dcm/node/driver_kit/slices/pool.hpp"

namespace gpu {

inline constexpr const char* kDriver = "gpus.example.com";
inline constexpr int kPartsOfGpu = 4;

// Those with an even number can be had whole or in four parts, which share the chip's counters. The
// others can be had by several claims at the same time, each with some of the memory. The devices
// of the GPUs in `broken` have a taint.
dcm::driver_kit::DevicePool devices_of(const std::string& node, int gpus,
                                       const std::set<std::string>& broken);

// "gpu-0-part-2" is on "gpu-0".
std::string gpu_of(const std::string& device);

}  // namespace gpu
