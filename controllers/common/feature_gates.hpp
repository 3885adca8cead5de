// The feature gates that our controllers ask about, by the names that Kubernetes gives them.
#pragma once

namespace dcm::common {

// A gate that is off makes a controller refuse what an API server with the same gate off would not
// have let in. The defaults are those of Kubernetes 1.37.
struct FeatureGates {
  bool dra_admin_access = true;        // DRAAdminAccess (KEP-5018)
  bool dra_prioritized_list = true;    // DRAPrioritizedList (KEP-4816)
  bool dra_device_taints = true;       // DRADeviceTaints (KEP-5055): off, nobody is evicted
  bool dra_device_taint_rules = true;  // DRADeviceTaintRules: off, only drivers taint devices
  // Pod groups (KEP-4671, KEP-5729). Nothing here handles a group yet: with GenericWorkload off,
  // pods that are members of one are refused as a whole, and reservations for groups are kept.
  bool generic_workload = false;              // GenericWorkload
  bool dra_workload_resource_claims = false;  // DRAWorkloadResourceClaims
};

}  // namespace dcm::common
