// scheduling.k8s.io PodGroup (KEP-4671), projected to the claims that its pods share (KEP-5729).
#pragma once

#include <cstddef>
#include <string_view>

#include "controllers/api/claim_user.hpp"

namespace dcm::api {

inline constexpr std::string_view kSchedulingGroup = "scheduling.k8s.io";

struct PodGroup : ClaimUser {};

// Bytes of memory: of its size and capacities, without the allocator's rounding and interned
// strings.
std::size_t footprint(const PodGroup& group);

}  // namespace dcm::api
