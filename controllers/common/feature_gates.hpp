// The feature gates used by our controllers, under their Kubernetes names.
#pragma once

namespace dcm::common {

// With a gate off, a controller rejects what an API server with the same gate off would not have
// accepted. The defaults are those of Kubernetes 1.37.
struct FeatureGates {
  bool dra_admin_access = true;        // DRAAdminAccess (KEP-5018)
  bool dra_prioritized_list = true;    // DRAPrioritizedList (KEP-4816)
  bool dra_device_taints = true;       // DRADeviceTaints (KEP-5055): if off, no pod is evicted
  bool dra_device_taint_rules = true;  // DRADeviceTaintRules: if off, only drivers taint devices
  // DRAResourcePoolStatus (KEP-5677): if off, nobody reports how many devices pools have.
  bool dra_resource_pool_status = false;
  // Pod groups (KEP-4671): if off, a pod that is a member of a group is refused as a whole.
  bool generic_workload = false;  // GenericWorkload
  // Claims that belong to a pod group (KEP-5729); needs GenericWorkload.
  bool dra_workload_resource_claims = false;  // DRAWorkloadResourceClaims
};

}  // namespace dcm::common
