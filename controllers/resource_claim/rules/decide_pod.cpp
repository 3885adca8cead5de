#include "controllers/resource_claim/rules/decide_pod.hpp"

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {
namespace {

using Cause = Problem::Cause;
using Report = Problem::Report;
using common::GroupClaims;

Claimant claimant_of(const PodSnapshot& snapshot) {
  return {*snapshot.pod, snapshot.pod.get(), "v1"};
}

bool is_shared(const PodSnapshot& snapshot, const api::PodClaim& pod_claim) {
  return snapshot.group != nullptr && common::is_shared_by(*snapshot.group, pod_claim);
}

// The group may have several claims for one entry: all its pods use the one named in its status.
// The group's own round writes that, so that no pod searches the claims that others made for it.
ClaimPtr find_shared_claim(const PodSnapshot& snapshot, const api::PodClaim& pod_claim) {
  const api::PodClaimStatus* status = common::find_status(*snapshot.group, pod_claim.name.str());
  if (status == nullptr || !status->claim_name) return nullptr;
  ClaimPtr named = find_claim(snapshot, *status->claim_name);
  return named != nullptr && common::is_owned_by(*named, *snapshot.group) ? named : nullptr;
}

// The group's claim for a pod claim: found, never created.
PodClaimStep decide_shared_claim(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                                 const api::PodClaim& pod_claim) {
  const Claimant claimant = claimant_of(snapshot);
  auto named = look_at_named(claimant, snapshot, gates, pod_claim);
  if (!named) return std::unexpected(std::move(named).error());
  if (named->claim) return *named->claim;
  if (common::group_claims(gates) == GroupClaims::shared) {
    return Settled{Settled::Origin::group, find_shared_claim(snapshot, pod_claim)};
  }
  Problem off = creation_problem(
      claimant, pod_claim, Cause::gate_off,
      fmt::format(
          "claim {} is a PodGroup claim but the DRAWorkloadResourceClaims feature is disabled",
          pod_claim.name.str()));
  off.outcome = Outcome::done();
  return std::unexpected<Stop>(std::move(off));
}

Problem reserve_problem(const std::string& claim, const runtime::Error& error) {
  return {is_fault(error) ? Report::log : Report::detail,
          fmt::format("reserve ResourceClaim {}: {}", claim, error.message),
          outcome_after_write(error), Cause::reserve_failed};
}

Problem refused_group(const api::Pod& pod) {
  return {Report::log,
          fmt::format("Pod is a member of PodGroup {} but GenericWorkload feature is disabled",
                      pod.scheduling_group.str()),
          Outcome::done(), Cause::group_refused};
}

Problem missing_group(const api::Pod& pod) {
  return {Report::log,
          fmt::format("podgroup.{} \"{}\" not found", api::kSchedulingGroup,
                      pod.scheduling_group.str()),
          Outcome::retry(), Cause::group_missing};
}

// The claim belongs to a former group: the garbage collector deletes it, unless it is reserved for
// the current group. Or the cache is stale, and still has the former group.
bool is_former_groups(const PodSnapshot& snapshot, const api::PodClaim& pod_claim,
                      const api::ResourceClaim& claim) {
  return is_shared(snapshot, pod_claim) && common::has_group_as_controller(claim) &&
         !pod_claim.template_name.empty() && !common::is_owned_by(claim, *snapshot.group);
}

api::ConsumerReference consumer_of(const PodSnapshot& snapshot, const api::PodClaim& pod_claim) {
  if (is_shared(snapshot, pod_claim)) {
    const api::ObjectMeta& group = snapshot.group->meta;
    return {api::kSchedulingGroup, "podgroups", group.key.name, group.uid};
  }
  return {"", "pods", snapshot.pod->meta.key.name, snapshot.pod->meta.uid};
}

// The next reservation, from the pod claim of the last Reserve on; nullopt if none is left.
std::optional<Reserve> next_to_reserve(const PodSnapshot& snapshot,
                                       const common::FeatureGates& gates) {
  const auto& pod_claims = snapshot.pod->claims;
  for (std::size_t at = snapshot.reserved_up_to; at < pod_claims.size(); ++at) {
    const PodClaimStep settled = decide_pod_claim(snapshot, gates, pod_claims[at]);
    if (!settled || settled->claim == nullptr) continue;
    auto reservation =
        decide_reservation(snapshot, gates, pod_claims[at], newest(snapshot, settled->claim));
    auto* reserve = std::get_if<Reserve>(&reservation);
    if (reserve == nullptr) continue;
    reserve->position = at;
    return std::move(*reserve);
  }
  return std::nullopt;
}

PodStep decide_member(const PodSnapshot& snapshot, const common::FeatureGates& gates) {
  if (snapshot.reserved_up_to > 0) {
    if (auto reserve = next_to_reserve(snapshot, gates)) return *std::move(reserve);
  }
  auto settled = decide_claims(*snapshot.pod, snapshot, [&](const api::PodClaim& pod_claim) {
    return decide_pod_claim(snapshot, gates, pod_claim);
  });
  if (!settled) return widen<PodStep>(std::move(settled).error());
  EndRound finished{std::move(settled->problems)};
  for (const auto& [position, claim] : settled->claims) {
    auto reservation = decide_reservation(snapshot, gates, snapshot.pod->claims[position], claim);
    if (auto* reserve = std::get_if<Reserve>(&reservation)) {
      reserve->position = position;
      return std::move(*reserve);
    }
    if (auto* problem = std::get_if<Problem>(&reservation)) {
      finished.problems.push_back(std::move(*problem));
    }
  }
  return finished;
}

}  // namespace

PodClaimStep decide_pod_claim(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                              const api::PodClaim& pod_claim) {
  if (is_shared(snapshot, pod_claim)) return decide_shared_claim(snapshot, gates, pod_claim);
  return decide_own_claim(claimant_of(snapshot), snapshot, gates, pod_claim);
}

ReservationStep decide_reservation(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                                   const api::PodClaim& pod_claim, const ClaimPtr& claim) {
  const api::Pod& pod = *snapshot.pod;
  const GroupClaims groups = common::group_claims(gates);
  if (pod.node_name.empty()) return NotReserved::no_node;
  if (!claim->is_allocated) return NotReserved::not_allocated;
  if (claim->meta.is_being_deleted) return NotReserved::being_deleted;
  if (common::is_reserved_for(*claim, pod, groups)) return NotReserved::already_reserved;
  if (is_shared(snapshot, pod_claim) && groups == GroupClaims::refused) {
    return NotReserved::is_groups;
  }
  if (is_former_groups(snapshot, pod_claim, *claim)) return NotReserved::is_former_groups;
  const std::string name = claim->meta.key.name.str();
  if (api::is_full(*claim)) {
    return Problem{Report::failed_reservation_event,
                   fmt::format("resource claim \"{}\" is reserved for {} consumers already", name,
                               claim->reserved_for.size()),
                   Outcome::done(), Cause::too_many_users};
  }
  if (snapshot.busy.contains(name)) return NotReserved::under_way;
  const auto failed = snapshot.reserve_failures.find(name);
  if (failed != snapshot.reserve_failures.end()) return reserve_problem(name, failed->second);
  return Reserve{claim, consumer_of(snapshot, pod_claim)};
}

std::optional<LeftAlone> why_left_alone(const PodSnapshot& snapshot,
                                        const common::FeatureGates& gates) {
  const api::Pod& pod = *snapshot.pod;
  if (!common::is_active(pod)) {
    return common::is_done(pod) ? LeftAlone::finished : LeftAlone::being_deleted;
  }
  if (pod.scheduling_group.empty() || snapshot.group != nullptr) return std::nullopt;
  if (!gates.generic_workload) return LeftAlone::in_group;
  // A pod that needs nothing more can continue without its group.
  if (is_nothing_to_do(decide_member(snapshot, gates))) return std::nullopt;
  return LeftAlone::group_missing;
}

PodStep decide_pod(const PodSnapshot& snapshot, const common::FeatureGates& gates) {
  if (const auto why = why_left_alone(snapshot, gates)) {
    if (why == LeftAlone::in_group) return EndRound{{refused_group(*snapshot.pod)}};
    if (why == LeftAlone::group_missing) return EndRound{{missing_group(*snapshot.pod)}};
    return EndRound{};
  }
  return decide_member(snapshot, gates);
}

PodClaimStep decide_group_claim(const GroupSnapshot& snapshot, const common::FeatureGates& gates,
                                const api::PodClaim& pod_claim) {
  return decide_own_claim({*snapshot.group, nullptr, snapshot.api_version}, snapshot, gates,
                          pod_claim);
}

bool may_get_claims(const api::PodGroup& group, const common::FeatureGates& gates) {
  return !group.meta.is_being_deleted && common::group_claims(gates) == common::GroupClaims::shared;
}

GroupStep decide_group(const GroupSnapshot& snapshot, const common::FeatureGates& gates) {
  if (!may_get_claims(*snapshot.group, gates)) return EndRound{};
  auto settled = decide_claims(*snapshot.group, snapshot, [&](const api::PodClaim& pod_claim) {
    return decide_group_claim(snapshot, gates, pod_claim);
  });
  if (!settled) return widen<GroupStep>(std::move(settled).error());
  return EndRound{std::move(settled->problems)};
}

}  // namespace dcm::resource_claim
