#include "playground/scheduler/gather_claims.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

// Why the pod cannot use a claim now; empty if it can.
std::string obstacle(const Pod& pod, const Claim& claim, bool is_generated) {
  if (is_generated && !common::is_owned_by(claim, pod)) {
    return fmt::format("ResourceClaim {} was not created for Pod {} (Pod is not owner)",
                       claim.meta.key.str(), pod.meta.key.str());
  }
  if (!claim.meta.is_being_deleted) return {};
  return fmt::format("resourceclaim \"{}\" is being deleted", claim.meta.key.name);
}

}  // namespace

PodClaims gather_claims(const Pod& pod, const FindClaim& find_claim) {
  PodClaims found;
  for (const api::PodClaim& entry : pod.claims) {
    const common::PodClaimTarget target = common::target_of(pod, entry);
    if (std::holds_alternative<common::NoClaimNeeded>(target)) continue;
    const auto name = common::claim_name(target);
    if (!name) {
      return {{}, fmt::format("pod \"{}\": ResourceClaim not created yet", pod.meta.key.str())};
    }
    const api::NamespacedName key{pod.meta.key.namespace_, std::string(*name)};
    ClaimPtr claim = find_claim(key);
    if (!claim) return {{}, fmt::format("could not find ResourceClaim \"{}\"", key.str())};
    const bool is_generated = std::holds_alternative<common::GeneratedClaim>(target);
    if (std::string why = obstacle(pod, *claim, is_generated); !why.empty()) {
      return {{}, std::move(why)};
    }
    // Two entries may name one claim.
    if (std::ranges::find(found.claims, claim) == found.claims.end()) {
      found.claims.push_back(std::move(claim));
    }
  }
  return found;
}

}  // namespace dcm::playground
