#include "controllers/resource_claim/explain/explain_surplus.hpp"

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/explain_claim.hpp"

namespace dcm::resource_claim {
namespace {

using common::Outlook;

std::string command(const api::Pod& pod, std::string_view kind, const std::string& name) {
  return fmt::format("kubectl -n {} delete {} {}", pod.meta.key.namespace_.str(), kind, name);
}

// The devices of the claim, and how to release them.
std::string describe_state(const api::ResourceClaim& claim, const api::Pod& pod) {
  const std::string deletion = command(pod, "resourceclaim", claim.meta.key.name);
  if (!claim.is_allocated) {
    return fmt::format(
        "The second claim holds no device, and is deleted with the pod. To delete it now: {}",
        deletion);
  }
  const std::string devices = describe_devices(claim);
  if (common::is_reserved_for(claim, pod)) {
    return fmt::format(
        "The second claim is allocated as well ({}) and reserved for the pod, which may have "
        "started with it. So "
        "both keep their devices until the pod has ended. To end it now: {}",
        devices, command(pod, "pod", pod.meta.key.name));
  }
  if (!claim.reserved_for.empty()) {
    return fmt::format(
        "The second claim keeps its devices ({}) until its consumers have ended: {}.", devices,
        describe_consumers(claim));
  }
  return fmt::format("The second claim keeps unused devices ({}). To release them: {}", devices,
                     deletion);
}

// A pod that is on no node yet may be waiting for just those devices.
Outlook outlook_of(const api::ResourceClaim& claim, const api::Pod& pod) {
  if (!claim.is_allocated) return Outlook::note;
  return pod.node_name.empty() && claim.reserved_for.empty() ? Outlook::stuck : Outlook::waiting;
}

void add(const api::ResourceClaim& claim, const api::ResourceClaim& used, const api::Pod& pod,
         common::Topic& topic) {
  topic.add(
      outlook_of(claim, pod), "SurplusClaim",
      fmt::format("{} is a second claim for pod claim \"{}\": two managers have made claims. "
                  "The pod uses {}. {}",
                  quoted(claim), claim.pod_claim_name, quoted(used), describe_state(claim, pod)));
}

}  // namespace

void explain_surplus_claims(const PodSnapshot& snapshot, const api::PodClaim& pod_claim,
                            const api::ResourceClaim& used, common::Topic& topic) {
  for (const ClaimPtr& claim : snapshot.owned) {
    if (claim->meta.key.name == used.meta.key.name) continue;
    if (!is_generated_for(*claim, *snapshot.pod, pod_claim)) continue;
    add(*claim, used, *snapshot.pod, topic);
  }
}

void explain_surplus(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                     const api::ResourceClaim& claim, common::Topic& topic) {
  if (why_left_alone(snapshot, gates)) return;
  for (const api::PodClaim& pod_claim : snapshot.pod->claims) {
    if (!is_generated_for(claim, *snapshot.pod, pod_claim)) continue;
    const PodClaimStep step = decide_pod_claim(snapshot, gates, pod_claim);
    const auto* settled = std::get_if<Settled>(&step);
    if (settled == nullptr || settled->claim == nullptr) continue;
    if (settled->claim->meta.key.name == claim.meta.key.name) continue;
    add(claim, *settled->claim, *snapshot.pod, topic);
  }
}

}  // namespace dcm::resource_claim
