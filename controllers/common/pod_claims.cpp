#include "controllers/common/pod_claims.hpp"

#include <algorithm>

namespace dcm::common {
namespace {

bool is_controlled_by_kind(const api::ResourceClaim& claim, std::string_view group,
                           std::string_view kind) {
  return claim.controller && claim.controller->group == group && claim.controller->kind == kind;
}

using Owner = ClaimReference::Owner;

// Adds the references in spec and status.
void add_references(const api::ClaimUser& user, std::vector<ClaimReference>& references) {
  for (const api::PodClaim& pod_claim : user.claims) {
    const PodClaimTarget target = target_of(user, pod_claim);
    const bool is_generated = std::holds_alternative<GeneratedClaim>(target);
    if (const auto name = claim_name(target)) {
      references.push_back({*name, is_generated ? Owner::pod_or_group : Owner::anybody});
    }
  }
}

// Keeps each name once, with its weakest requirement.
void sort_and_merge(std::vector<ClaimReference>& references) {
  std::ranges::sort(references);
  const auto repeated = std::ranges::unique(references, {}, &ClaimReference::name);
  references.erase(repeated.begin(), repeated.end());
}

std::vector<std::string_view> names_of(std::vector<ClaimReference> references) {
  std::vector<std::string_view> names;
  names.reserve(references.size());
  for (const ClaimReference& reference : references) names.push_back(reference.name);
  return names;
}

bool has_owner_of(const api::ResourceClaim& claim, const api::Pod& pod, Owner owner,
                  GroupClaims groups) {
  switch (owner) {
    case Owner::anybody:
      return true;
    case Owner::pod_or_group:
      return is_made_for(claim, pod, groups);
    case Owner::pod:
      return is_owned_by(claim, pod);
  }
  return false;
}

bool may_consume_if_its_own(const api::ResourceClaim& claim, const api::Pod& pod,
                            GroupClaims groups) {
  return !pod.node_name.empty() && claim.is_allocated && is_reserved_for(claim, pod, groups);
}

}  // namespace

GroupClaims group_claims(const FeatureGates& gates) {
  return gates.generic_workload && gates.dra_workload_resource_claims ? GroupClaims::shared
                                                                      : GroupClaims::refused;
}

PodClaimTarget target_of(const api::ClaimUser& user, const api::PodClaim& pod_claim) {
  if (!pod_claim.claim_name.empty()) return UserClaim{pod_claim.claim_name};
  if (pod_claim.template_name.empty()) return UnsupportedPodClaim{};
  const api::PodClaimStatus* status = find_status(user, pod_claim.name);
  if (status == nullptr) return NotMadeYet{};
  if (!status->claim_name) return NoClaimNeeded{};
  if (status->claim_name->empty()) return NotMadeYet{};
  return GeneratedClaim{*status->claim_name};
}

std::optional<std::string_view> claim_name(const PodClaimTarget& target) {
  if (const auto* const named = std::get_if<UserClaim>(&target)) return named->name;
  if (const auto* const made = std::get_if<GeneratedClaim>(&target)) return made->name;
  return std::nullopt;
}

const api::PodClaimStatus* find_status(const api::ClaimUser& user, std::string_view pod_claim) {
  const auto name = [](const api::PodClaimStatus& status) { return std::string_view(status.name); };
  const auto found = std::ranges::lower_bound(user.claim_statuses, pod_claim, {}, name);
  return found == user.claim_statuses.end() || name(*found) != pod_claim ? nullptr : &*found;
}

std::vector<ClaimReference> references_of(const api::Pod& pod) {
  std::vector<ClaimReference> references;
  add_references(pod, references);
  if (!pod.extended_resource_claim.empty()) {
    references.push_back({pod.extended_resource_claim, Owner::pod});
  }
  sort_and_merge(references);
  return references;
}

std::vector<std::string_view> names_of_claims(const api::ClaimUser& user) {
  std::vector<ClaimReference> references;
  add_references(user, references);
  sort_and_merge(references);
  return names_of(references);
}

std::vector<std::string_view> names_of_claims(const api::Pod& pod) {
  return names_of(references_of(pod));
}

bool is_owned_by(const api::ResourceClaim& claim, const api::ClaimUser& user) {
  return claim.controller && !user.meta.uid.empty() && claim.controller->uid == user.meta.uid &&
         claim.meta.key.namespace_ == user.meta.key.namespace_;
}

bool is_owned_by_group_of(const api::ResourceClaim& claim, const api::Pod& pod) {
  return has_group_as_controller(claim) && !pod.scheduling_group.empty() &&
         claim.controller->name == pod.scheduling_group &&
         claim.meta.key.namespace_ == pod.meta.key.namespace_;
}

bool is_made_for(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups) {
  return is_owned_by(claim, pod) ||
         (groups == GroupClaims::shared && is_owned_by_group_of(claim, pod));
}

bool is_claim_of(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups) {
  if (claim.meta.key.namespace_ != pod.meta.key.namespace_) return false;
  const std::vector<ClaimReference> references = references_of(pod);
  const auto found =
      std::ranges::find(references, std::string_view(claim.meta.key.name), &ClaimReference::name);
  return found != references.end() && has_owner_of(claim, pod, found->owner, groups);
}

bool has_pod_as_controller(const api::ResourceClaim& claim) {
  return is_controlled_by_kind(claim, "", "Pod");
}

bool has_group_as_controller(const api::ResourceClaim& claim) {
  return is_controlled_by_kind(claim, api::kSchedulingGroup, "PodGroup");
}

bool has_claim_user_as_controller(const api::ResourceClaim& claim) {
  return has_pod_as_controller(claim) || has_group_as_controller(claim);
}

std::optional<api::NamespacedName> group_of(const api::Pod& pod) {
  if (pod.scheduling_group.empty()) return std::nullopt;
  return api::NamespacedName{pod.meta.key.namespace_, pod.scheduling_group};
}

bool is_shared_by(const api::PodGroup& group, const api::PodClaim& pod_claim) {
  return std::ranges::find(group.claims, pod_claim) != group.claims.end();
}

bool is_reserved_for(const api::ResourceClaim& claim, const api::Uid& user) {
  return std::ranges::find(claim.reserved_for, user, &api::ConsumerReference::uid) !=
         claim.reserved_for.end();
}

bool is_reserved_for(const api::ResourceClaim& claim, const api::Pod& pod) {
  return is_reserved_for(claim, pod.meta.uid);
}

bool is_reserved_for_group_of(const api::ResourceClaim& claim, const api::Pod& pod) {
  if (pod.scheduling_group.empty()) return false;
  return std::ranges::any_of(claim.reserved_for, [&](const api::ConsumerReference& consumer) {
    return consumer.is_pod_group() && consumer.name == pod.scheduling_group;
  });
}

bool is_reserved_for(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups) {
  return is_reserved_for(claim, pod) ||
         (groups == GroupClaims::shared && is_reserved_for_group_of(claim, pod));
}

bool is_done(const api::Pod& pod) {
  return pod.phase == api::PodPhase::succeeded || pod.phase == api::PodPhase::failed ||
         (pod.meta.is_being_deleted && pod.node_name.empty());
}

bool is_active(const api::Pod& pod) {
  return !pod.meta.is_being_deleted && !is_done(pod);
}

bool may_consume_now(const api::ResourceClaim& claim, const api::Pod& pod, GroupClaims groups) {
  return may_consume_if_its_own(claim, pod, groups) && is_claim_of(claim, pod, groups);
}

bool may_consume_now(const api::ResourceClaim& claim, const api::Pod& pod,
                     const ClaimReference& reference, GroupClaims groups) {
  return may_consume_if_its_own(claim, pod, groups) &&
         has_owner_of(claim, pod, reference.owner, groups);
}

}  // namespace dcm::common
