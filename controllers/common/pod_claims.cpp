#include "controllers/common/pod_claims.hpp"

#include <algorithm>

namespace dcm::common {
namespace {

bool refers_to(const api::Pod& pod, const api::PodClaim& pod_claim,
               const api::ResourceClaim& claim) {
  const PodClaimTarget target = target_of(pod, pod_claim);
  if (const auto* user = std::get_if<UserClaim>(&target)) return user->name == claim.meta.key.name;
  const auto* generated = std::get_if<GeneratedClaim>(&target);
  return generated != nullptr && generated->name == claim.meta.key.name && is_owned_by(claim, pod);
}

bool is_extended_resource_claim_of(const api::ResourceClaim& claim, const api::Pod& pod) {
  return !pod.extended_resource_claim.empty() &&
         pod.extended_resource_claim == claim.meta.key.name && is_owned_by(claim, pod);
}

}  // namespace

PodClaimTarget target_of(const api::Pod& pod, const api::PodClaim& pod_claim) {
  if (!pod_claim.claim_name.empty()) return UserClaim{pod_claim.claim_name};
  if (pod_claim.template_name.empty()) return UnsupportedPodClaim{};
  const api::PodClaimStatus* status = find_status(pod, pod_claim.name);
  if (status == nullptr) return NotMadeYet{};
  if (!status->claim_name) return NoClaimNeeded{};
  if (status->claim_name->empty()) return NotMadeYet{};
  return GeneratedClaim{*status->claim_name};
}

const api::PodClaimStatus* find_status(const api::Pod& pod, std::string_view pod_claim) {
  const auto found = std::ranges::find(
      pod.claim_statuses, pod_claim,
      [](const api::PodClaimStatus& status) -> std::string_view { return status.name; });
  return found == pod.claim_statuses.end() ? nullptr : &*found;
}

std::vector<std::string_view> names_of_claims(const api::Pod& pod) {
  std::vector<std::string_view> names;
  for (const api::PodClaim& pod_claim : pod.claims) {
    const PodClaimTarget target = target_of(pod, pod_claim);
    if (const auto* user = std::get_if<UserClaim>(&target)) names.push_back(user->name);
    if (const auto* made = std::get_if<GeneratedClaim>(&target)) names.push_back(made->name);
  }
  if (!pod.extended_resource_claim.empty()) names.push_back(pod.extended_resource_claim);
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

bool is_owned_by(const api::ResourceClaim& claim, const api::Pod& pod) {
  return claim.controller != nullptr && !pod.meta.uid.empty() &&
         claim.controller->uid == pod.meta.uid &&
         claim.meta.key.namespace_ == pod.meta.key.namespace_;
}

bool is_claim_of(const api::ResourceClaim& claim, const api::Pod& pod) {
  if (claim.meta.key.namespace_ != pod.meta.key.namespace_) return false;
  return is_extended_resource_claim_of(claim, pod) ||
         std::ranges::any_of(pod.claims, [&](const api::PodClaim& pod_claim) {
           return refers_to(pod, pod_claim, claim);
         });
}

bool has_pod_as_controller(const api::ResourceClaim& claim) {
  return claim.controller != nullptr && claim.controller->group.empty() &&
         claim.controller->kind.str() == "Pod";
}

bool is_reserved_for(const api::ResourceClaim& claim, const api::Pod& pod) {
  return std::ranges::any_of(claim.reserved_for, [&](const api::ConsumerReference& consumer) {
    return consumer.uid == pod.meta.uid;
  });
}

bool is_done(const api::Pod& pod) {
  return pod.phase == api::PodPhase::succeeded || pod.phase == api::PodPhase::failed ||
         (pod.meta.is_being_deleted && pod.node_name.empty());
}

bool may_get_claims(const api::Pod& pod) {
  return !pod.meta.is_being_deleted && !is_done(pod);
}

bool may_consume_now(const api::ResourceClaim& claim, const api::Pod& pod) {
  return !pod.node_name.empty() && claim.is_allocated && is_reserved_for(claim, pod) &&
         is_claim_of(claim, pod);
}

}  // namespace dcm::common
