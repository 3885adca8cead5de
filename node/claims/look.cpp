#include "node/claims/look.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

namespace dcm::node {
namespace {

using Found = std::expected<std::optional<ClaimToLookUp>, std::string>;

Found find_claim(const api::Pod& pod, const api::PodClaim& pod_claim) {
  const common::PodClaimTarget target = common::target_of(pod, pod_claim);
  if (const auto name = common::claim_name(target)) {
    return ClaimToLookUp{std::string(*name),
                         std::holds_alternative<common::GeneratedClaim>(target)};
  }
  if (std::holds_alternative<common::NoClaimNeeded>(target)) return std::nullopt;
  const std::string& namespace_ = pod.meta.key.namespace_.str();
  if (std::holds_alternative<common::NotMadeYet>(target)) {
    return std::unexpected(fmt::format(R"(pod "{}/{}": ResourceClaim not created yet)", namespace_,
                                       pod.meta.key.name));
  }
  return std::unexpected(
      fmt::format(R"(pod "{}/{}", spec.resourceClaim "{}": none of the supported fields are set)",
                  namespace_, pod.meta.key.name, pod_claim.name.str()));
}

std::string not_made_for(const api::Pod& pod, const api::ResourceClaim& claim,
                         const LookRules& rules) {
  const bool names_group =
      rules.groups == common::GroupClaims::shared && !pod.scheduling_group.str().empty();
  return fmt::format(
      "ResourceClaim {} was not created for Pod {} ({})", claim.meta.key.str(), pod.meta.key.str(),
      names_group
          ? fmt::format("neither Pod nor PodGroup {} is the owner", pod.scheduling_group.str())
          : "Pod is not owner");
}

bool skips_anything(const ClaimView& view) {
  return std::ranges::any_of(driver_states(view.results), [](const auto& driver) {
    return !driver.second.skip_operations.empty();
  });
}

}  // namespace

std::expected<std::vector<ClaimToLookUp>, std::string> claims_to_look_up(const api::Pod& pod) {
  std::vector<ClaimToLookUp> claims;
  for (const api::PodClaim& pod_claim : pod.claims) {
    Found found = find_claim(pod, pod_claim);
    if (!found) return std::unexpected(std::move(found.error()));
    if (*found) claims.push_back(std::move(**found));
  }
  if (!pod.extended_resource_claim.empty())
    claims.push_back({pod.extended_resource_claim.str(), false});
  return claims;
}

std::optional<std::string> refuse_claim(const api::Pod& pod, const ClaimToLookUp& looked_up,
                                        const ClaimView& view, const LookRules& rules) {
  const api::ResourceClaim& claim = *view.claim;
  if (looked_up.must_be_made_for_pod && !common::is_made_for(claim, pod, rules.groups)) {
    return not_made_for(pod, claim, rules);
  }
  if (!common::is_reserved_for(claim, pod, rules.groups)) {
    return fmt::format("pod {} ({}) is not allowed to use ResourceClaim {} ({})", pod.meta.key.name,
                       pod.meta.uid.str(), looked_up.name, claim.meta.uid.str());
  }
  if (!claim.is_allocated) return fmt::format("ResourceClaim {}: not allocated", looked_up.name);
  if (rules.skip_gate == SkipGate::off && skips_anything(view)) {
    return fmt::format(
        "ResourceClaim {}: DRAOptionalNodeOperations feature gate is disabled on kubelet",
        looked_up.name);
  }
  return std::nullopt;
}

std::optional<std::string> refuse_drivers(
    const ClaimView& view, const std::function<bool(const std::string&)>& is_registered) {
  for (const auto& [driver, state] : driver_states(view.results)) {
    if (skips(state, kSkipPrepare) || is_registered(driver)) continue;
    return fmt::format("DRA driver {} is not registered", driver);
  }
  return std::nullopt;
}

}  // namespace dcm::node
