#include "controllers/resource_claim/rules/decide_group.hpp"

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {

PodClaimStep decide_group_claim(const GroupSnapshot& snapshot, const common::FeatureGates& gates,
                                const api::PodClaim& pod_claim) {
  return decide_own_claim({*snapshot.group, nullptr, snapshot.api_version}, snapshot, gates,
                          pod_claim);
}

bool may_get_claims(const api::PodGroup& group, const common::FeatureGates& gates) {
  return !group.meta.is_being_deleted && common::group_claims(gates) == common::GroupClaims::shared;
}

GroupStep decide_group(const GroupSnapshot& snapshot, const common::FeatureGates& gates) {
  if (!may_get_claims(*snapshot.group, gates)) return Finished{};
  return next_of<GroupStep>(
      decide_claims(*snapshot.group, snapshot, [&](const api::PodClaim& pod_claim) {
        return decide_group_claim(snapshot, gates, pod_claim);
      }));
}

bool is_nothing_to_do(const GroupStep& step) {
  const auto* finished = std::get_if<Finished>(&step);
  return finished != nullptr && finished->problems.empty();
}

}  // namespace dcm::resource_claim
