// From the caches to what the decisions look at.
#pragma once

#include "controllers/resource_claim/rules/decide_claim.hpp"
#include "controllers/resource_claim/rules/decide_group.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/uid_memory.hpp"

namespace dcm::resource_claim {

PodSnapshot make_pod_snapshot(const Stores& stores, PodPtr pod);

GroupSnapshot make_group_snapshot(const Stores& stores, GroupPtr group);

// `deleted`: the pods and groups that are known to be gone.
ClaimSnapshot make_claim_snapshot(const Stores& stores, const UidMemory& deleted,
                                  const common::FeatureGates& gates, ClaimPtr claim);

}  // namespace dcm::resource_claim
