// The checks of a ResourceSlice's parts (k8s.io/kubernetes pkg/apis/resource/validation, 1.37).
// Fields that a cluster drops because a feature is off are checked as well.
#pragma once

#include <cstddef>
#include <functional>

#include "node/driver_kit/checks/field.hpp"

namespace dcm::driver_kit {

// Node selection of a pool: exactly one of the fields `nodeName`, `nodeSelector`, `allNodes` and,
// in a slice, `perDeviceNodeSelection`.
void check_place_of_slice(const Field& spec);
void check_place_of_device(const Field& device, bool is_chosen_by_device);

void check_device(const Field& device, bool is_chosen_by_device);
void check_capacity(const Field& device);
void check_binding(const Field& device);
// Checks an item of sharedCounters or consumesCounters.
void check_counters(const Field& counters);
void check_node_allocatable(const Field& device);

// Checks a list of distinct items, at most this many. Returns them.
std::vector<Field> check_set(const Field& list, std::size_t most,
                             const std::function<std::string_view(const Field&)>& key_of);

}  // namespace dcm::driver_kit
