// How much memory an object of ours takes: for the metric of bytes held.
//
// An estimate from sizes and capacities: exact but for the allocator's rounding, and without
// strings that are interned (they are shared by all).
#pragma once

#include <cstddef>

#include "client/api/pod.hpp"
#include "client/api/resource_claim.hpp"
#include "client/api/resource_claim_template.hpp"

namespace dcm::informers {

std::size_t footprint(const api::Pod& pod);
std::size_t footprint(const api::ResourceClaim& claim);
std::size_t footprint(const api::ResourceClaimTemplate& claim_template);

}  // namespace dcm::informers
