// From the caches to what the decisions look at.
#pragma once

#include "controllers/resource_claim/decide_claim.hpp"
#include "controllers/resource_claim/decide_pod.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/uid_memory.hpp"

namespace dcm::resource_claim {

PodSnapshot make_pod_snapshot(const Stores& stores, PodPtr pod,
                              PodSnapshot::EarlierCreates earlier_creates);

ClaimSnapshot make_claim_snapshot(const Stores& stores, const UidMemory& deleted_pods,
                                  ClaimPtr claim);

}  // namespace dcm::resource_claim
