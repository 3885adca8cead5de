// How much memory an object of ours takes: for the metric of bytes held.
//
// An estimate from sizes and capacities: exact but for the allocator's rounding, and without
// strings that are interned (they are shared by all).
#pragma once

#include <cstddef>

#include "client/api/device_taint_rule.hpp"
#include "client/api/pod.hpp"
#include "client/api/pod_group.hpp"
#include "client/api/resource_claim.hpp"
#include "client/api/resource_claim_template.hpp"
#include "client/api/resource_slice.hpp"

namespace dcm::informers {

std::size_t footprint(const api::Pod& pod);
std::size_t footprint(const api::PodGroup& group);
std::size_t footprint(const api::ResourceClaim& claim);
std::size_t footprint(const api::ResourceClaimTemplate& claim_template);
std::size_t footprint(const api::ResourceSlice& slice);
std::size_t footprint(const api::DeviceTaintRule& rule);

}  // namespace dcm::informers
