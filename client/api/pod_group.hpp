// scheduling.k8s.io PodGroup (KEP-4671), projected to the claims that its pods share (KEP-5729).
#pragma once

#include <string_view>

#include "client/api/claim_user.hpp"

namespace dcm::api {

inline constexpr std::string_view kSchedulingGroup = "scheduling.k8s.io";

struct PodGroup : ClaimUser {};

}  // namespace dcm::api
