#include "controllers/api/pod.hpp"

#include <algorithm>
#include <tuple>

namespace dcm::api {

void sort_claim_statuses(ClaimUser& user) {
  const auto is_before = [](const PodClaimStatus& a, const PodClaimStatus& b) {
    return std::tie(a.name, a.claim_name) < std::tie(b.name, b.claim_name);
  };
  std::ranges::sort(user.claim_statuses, is_before);
}

}  // namespace dcm::api
