// A node's simulated GPUs, as shown in ResourceSlices.
#pragma once

#include <set>
#include <string>

#include "dcm/node/driver_kit/slices/pool.hpp"

namespace gpu {

inline constexpr const char* kDriver = "gpus.example.com";
inline constexpr int kPartsOfGpu = 4;

// Even-numbered GPUs are allocated whole or in four parts, which share the chip's counters. Others
// are shared by several claims, each with some of the memory. The devices of GPUs in `broken` have
// a taint.
dcm::driver_kit::DevicePool devices_of(const std::string& node, int gpus,
                                       const std::set<std::string>& broken);

// "gpu-0-part-2" is on "gpu-0".
std::string gpu_of(const std::string& device);

}  // namespace gpu
