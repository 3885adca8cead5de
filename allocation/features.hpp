// The feature gates of Kubernetes that affect allocation.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace dcm::allocation {

// The defaults are those of a kube-scheduler 1.37 without flags.
struct Features {
  bool admin_access = true;
  bool consumable_capacity = true;
  bool derived_attributes = false;
  bool binding_conditions = true;  // includes status.devices of claims
  bool compatibility_groups = false;
  bool device_taints = true;
  bool fractional_capacity_range = false;  // on with --min-compatibility-version=1.37
  bool list_type_attributes = false;
  bool optional_node_operations = false;
  bool partitionable_devices = true;
  bool prioritized_list = true;
};

// Names of the gates, each with its switch.
using FeatureGate = std::pair<std::string_view, bool Features::*>;
inline constexpr auto kFeatureGates = std::to_array<FeatureGate>({
    {"DRAAdminAccess", &Features::admin_access},
    {"DRAConsumableCapacity", &Features::consumable_capacity},
    {"DRADerivedAttributes", &Features::derived_attributes},
    {"DRADeviceBindingConditions+DRAResourceClaimDeviceStatus", &Features::binding_conditions},
    {"DRADeviceCompatibilityGroups", &Features::compatibility_groups},
    {"DRADeviceTaints", &Features::device_taints},
    {"DRAFractionalCapacityRange", &Features::fractional_capacity_range},
    {"DRAListTypeAttributes", &Features::list_type_attributes},
    {"DRAOptionalNodeOperations", &Features::optional_node_operations},
    {"DRAPartitionableDevices", &Features::partitionable_devices},
    {"DRAPrioritizedList", &Features::prioritized_list},
});

}  // namespace dcm::allocation
