#include "controllers/resource_claim/decide_pod.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/generate_name.hpp"

namespace dcm::resource_claim {
namespace {

using Report = PodProblem::Report;

using Cause = PodProblem::Cause;

ClaimPtr find_claim(const PodSnapshot& snapshot, std::string_view name) {
  const auto known = snapshot.claims.find(name);
  if (known == snapshot.claims.end()) return nullptr;
  const auto* claim = std::get_if<ClaimPtr>(&known->second);
  return claim == nullptr ? nullptr : *claim;
}

Settled generated(const ClaimPtr& claim) {
  return {Settled::Origin::generated, claim};
}

PodProblem creation_problem(const api::PodClaim& pod_claim, Cause cause, const std::string& why,
                            Retry retry = Retry::with_backoff) {
  return {retry == Retry::never ? Report::detail : Report::failed_creation_event,
          fmt::format("PodResourceClaim {}: {}", pod_claim.name.str(), why), retry, cause};
}

PodProblem lookup_problem(const api::PodClaim& pod_claim, const runtime::Error& error) {
  return {Report::log, fmt::format("PodResourceClaim {}: {}", pod_claim.name.str(), error.message),
          retry_after_read(error), Cause::lookup_failed};
}

std::string why_unsupported(const api::Pod& pod, const api::PodClaim& pod_claim) {
  return fmt::format(
      "checking for claim before creating it: pod \"{}\", spec.resourceClaim \"{}\": none of the "
      "supported fields are set",
      pod.meta.key.str(), pod_claim.name.str());
}

// Why no claim can be made from the template; nothing: one can.
std::optional<PodProblem> why_not_from(const TemplatePtr& claim_template,
                                       const api::PodClaim& pod_claim,
                                       const common::FeatureGates& gates) {
  if (claim_template == nullptr) {
    return creation_problem(
        pod_claim, Cause::template_missing,
        fmt::format("resource claim template \"{0}\": resourceclaimtemplate.resource.k8s.io "
                    "\"{0}\" not found",
                    pod_claim.template_name));
  }
  if (claim_template->uses_admin_access && !gates.dra_admin_access) {
    return creation_problem(pod_claim, Cause::gate_off,
                            "admin access is requested, but the feature is disabled");
  }
  if (claim_template->uses_prioritized_list && !gates.dra_prioritized_list) {
    return creation_problem(
        pod_claim, Cause::gate_off,
        "template includes a prioritized list of subrequests, but the feature is disabled");
  }
  return std::nullopt;
}

// A claim that was made for this pod claim, but whose name did not get into the pod's status.
ClaimPtr find_orphan(const std::vector<ClaimPtr>& candidates, const api::Pod& pod,
                     const api::PodClaim& pod_claim) {
  const auto found = std::ranges::find_if(candidates, [&](const ClaimPtr& claim) {
    return claim->pod_claim_name == pod_claim.name.str() && common::has_pod_as_controller(*claim) &&
           common::is_owned_by(*claim, pod);
  });
  return found == candidates.end() ? nullptr : *found;
}

PodClaimStep make_from_template(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                                const api::PodClaim& pod_claim, std::string replaces) {
  const api::Pod& pod = *snapshot.pod;
  const auto known = snapshot.templates.find(pod_claim.template_name);
  const TemplatePtr claim_template = known == snapshot.templates.end() ? nullptr : known->second;
  if (auto why_not = why_not_from(claim_template, pod_claim, gates)) return *std::move(why_not);
  return CreateClaim{.pod_claim = pod_claim.name.str(),
                     .generate_name = generate_name(pod.meta.key.name, pod_claim.name),
                     .claim_template = claim_template,
                     .owner = {"v1", "Pod", pod.meta.key.name, pod.meta.uid},
                     .replaces = std::move(replaces)};
}

// There is no good claim in the status: use what was made earlier, or make one.
PodClaimStep find_or_make(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                          const api::PodClaim& pod_claim, std::string replaces = {}) {
  const auto created = snapshot.created.find(pod_claim.name.str());
  if (created != snapshot.created.end()) {
    if (const auto* claim = std::get_if<ClaimPtr>(&created->second)) return generated(*claim);
    const auto& error = std::get<runtime::Error>(created->second);
    return creation_problem(pod_claim, Cause::create_failed,
                            "create ResourceClaim : " + error.message, retry_after_create(error));
  }
  if (ClaimPtr orphan = find_orphan(snapshot.owned, *snapshot.pod, pod_claim)) {
    return generated(orphan);
  }
  if (snapshot.earlier_creates == PodSnapshot::EarlierCreates::outcome_unknown) {
    if (!snapshot.listed) return ListClaims{};
    if (const auto* error = std::get_if<runtime::Error>(&*snapshot.listed)) {
      return lookup_problem(pod_claim, *error);
    }
    ClaimPtr orphan =
        find_orphan(std::get<std::vector<ClaimPtr>>(*snapshot.listed), *snapshot.pod, pod_claim);
    if (orphan != nullptr) return generated(orphan);
  }
  return make_from_template(snapshot, gates, pod_claim, std::move(replaces));
}

// The status names a claim. It is good when it exists and is the pod's; one that is being deleted
// exists.
PodClaimStep check_named(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                         const api::PodClaim& pod_claim, std::string_view name) {
  const auto known = snapshot.claims.find(name);
  if (known == snapshot.claims.end()) return GetClaim{std::string(name)};
  if (const auto* error = std::get_if<runtime::Error>(&known->second)) {
    return lookup_problem(pod_claim, *error);
  }
  const auto* claim = std::get_if<ClaimPtr>(&known->second);
  if (claim == nullptr) {
    return find_or_make(snapshot, gates, pod_claim, fmt::format("claim {} is gone", name));
  }
  if (common::is_owned_by(**claim, *snapshot.pod)) return generated(*claim);
  return find_or_make(snapshot, gates, pod_claim,
                      fmt::format("claim {} is not owned by the pod", name));
}

}  // namespace

PodClaimStep decide_pod_claim(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                              const api::PodClaim& pod_claim) {
  struct Visitor {
    const PodSnapshot& snapshot;
    const common::FeatureGates& gates;
    const api::PodClaim& pod_claim;

    PodClaimStep operator()(const common::UserClaim& user) const {
      return Settled{Settled::Origin::user, find_claim(snapshot, user.name)};
    }
    PodClaimStep operator()(const common::GeneratedClaim& made) const {
      return check_named(snapshot, gates, pod_claim, made.name);
    }
    PodClaimStep operator()(const common::NotMadeYet&) const {
      return find_or_make(snapshot, gates, pod_claim);
    }
    PodClaimStep operator()(const common::NoClaimNeeded&) const {
      return Settled{Settled::Origin::not_needed, nullptr};
    }
    PodClaimStep operator()(const common::UnsupportedPodClaim&) const {
      return creation_problem(pod_claim, Cause::unsupported,
                              why_unsupported(*snapshot.pod, pod_claim));
    }
  };
  return std::visit(Visitor{snapshot, gates, pod_claim},
                    common::target_of(*snapshot.pod, pod_claim));
}

namespace {

// All names that the status should have: an apply that leaves one out would remove it, also that
// of a pod claim whose new claim could not be made.
std::vector<ClaimName> all_names(const api::Pod& pod,
                                 const std::map<std::string, std::string>& settled) {
  std::map<std::string, std::string> names = settled;
  for (const api::PodClaimStatus& status : pod.claim_statuses) {
    if (status.claim_name && !status.claim_name->empty()) {
      names.try_emplace(status.name.str(), *status.claim_name);
    }
  }
  std::vector<ClaimName> all;
  for (auto& [pod_claim, claim] : names) all.push_back({pod_claim, claim});
  return all;
}

bool status_has(const api::Pod& pod, const std::map<std::string, std::string>& names) {
  return std::ranges::all_of(names, [&](const auto& entry) {
    const api::PodClaimStatus* status = common::find_status(pod, entry.first);
    return status != nullptr && status->claim_name == entry.second;
  });
}

PodProblem reserve_problem(const std::string& claim, const runtime::Error& error) {
  const Retry retry = retry_after_write(error);
  const bool is_fault = !runtime::is_conflict(error) && retry != Retry::never;
  return {is_fault ? Report::log : Report::detail,
          fmt::format("reserve ResourceClaim {}: {}", claim, error.message), retry,
          Cause::reserve_failed};
}

PodProblem names_problem(const runtime::Error& error) {
  return {Report::log, "the names of its claims could not be written: " + error.message,
          retry_after_write(error), Cause::names_unwritten};
}

PodProblem group_problem(const api::Pod& pod) {
  return {Report::log,
          fmt::format("Pod is a member of PodGroup {} but GenericWorkload feature is disabled",
                      pod.scheduling_group.str()),
          Retry::never, Cause::group};
}

}  // namespace

ReservationStep decide_reservation(const PodSnapshot& snapshot, const ClaimPtr& claim) {
  const api::Pod& pod = *snapshot.pod;
  if (pod.node_name.empty()) return NotReserved::no_node;
  if (!claim->is_allocated) return NotReserved::not_allocated;
  if (claim->meta.is_being_deleted) return NotReserved::being_deleted;
  if (common::is_reserved_for(*claim, pod)) return NotReserved::already_reserved;
  const std::string& name = claim->meta.key.name;
  if (claim->reserved_for.size() >= api::kReservedForMax) {
    return PodProblem{Report::failed_reservation_event,
                      fmt::format("resource claim \"{}\" is reserved for {} consumers already",
                                  name, claim->reserved_for.size()),
                      Retry::never, Cause::too_many_users};
  }
  if (snapshot.busy.contains(name)) return NotReserved::under_way;
  const auto failed = snapshot.reserve_failures.find(name);
  if (failed != snapshot.reserve_failures.end()) return reserve_problem(name, failed->second);
  return Reserve{claim, {"", "pods", pod.meta.key.name, pod.meta.uid}};
}

std::optional<LeftAlone> why_left_alone(const api::Pod& pod, const common::FeatureGates& gates) {
  if (!common::may_get_claims(pod)) {
    return common::is_done(pod) ? LeftAlone::finished : LeftAlone::being_deleted;
  }
  const bool is_refused = !pod.scheduling_group.empty() && !gates.generic_workload;
  return is_refused ? std::optional(LeftAlone::in_group) : std::nullopt;
}

PodStep decide_pod(const PodSnapshot& snapshot, const common::FeatureGates& gates) {
  const api::Pod& pod = *snapshot.pod;
  if (const auto why = why_left_alone(pod, gates)) {
    if (why == LeftAlone::in_group) return PodFinished{{group_problem(pod)}};
    return PodFinished{};
  }

  PodFinished finished;
  std::vector<ClaimPtr> claims;
  std::map<std::string, std::string> made;  // pod claim to claim
  for (const api::PodClaim& pod_claim : pod.claims) {
    PodClaimStep step = decide_pod_claim(snapshot, gates, pod_claim);
    if (auto* get = std::get_if<GetClaim>(&step)) return std::move(*get);
    if (auto* list = std::get_if<ListClaims>(&step)) return *list;
    if (auto* create = std::get_if<CreateClaim>(&step)) return std::move(*create);
    if (auto* problem = std::get_if<PodProblem>(&step)) {
      finished.problems.push_back(std::move(*problem));
      continue;
    }
    const auto& settled = std::get<Settled>(step);
    if (settled.claim == nullptr) continue;
    claims.push_back(settled.claim);
    if (settled.origin == Settled::Origin::generated) {
      made.emplace(pod_claim.name.str(), settled.claim->meta.key.name);
    }
  }

  if (snapshot.names_failure) {
    // Without them the kubelet finds no claim, so nothing is reserved either.
    finished.problems.push_back(names_problem(*snapshot.names_failure));
    return finished;
  }
  if (snapshot.names == PodSnapshot::Names::not_written && !status_has(pod, made)) {
    return WriteNames{all_names(pod, made)};
  }
  for (const ClaimPtr& claim : claims) {
    const ClaimPtr newer = find_claim(snapshot, claim->meta.key.name);
    auto reservation = decide_reservation(snapshot, newer != nullptr ? newer : claim);
    if (auto* reserve = std::get_if<Reserve>(&reservation)) return std::move(*reserve);
    if (auto* problem = std::get_if<PodProblem>(&reservation)) {
      finished.problems.push_back(std::move(*problem));
    }
  }
  return finished;
}

}  // namespace dcm::resource_claim
