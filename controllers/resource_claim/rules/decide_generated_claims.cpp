#include "controllers/resource_claim/rules/decide_generated_claims.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/rules/claim_name.hpp"
#include "runtime/overloaded.hpp"

namespace dcm::resource_claim {
namespace {

using Cause = Problem::Cause;
using Report = Problem::Report;

Settled generated(const ClaimPtr& claim) {
  return {Settled::Origin::generated, claim};
}

std::string prefixed(const Claimant& claimant, const api::PodClaim& pod_claim,
                     const std::string& why) {
  return fmt::format("{} {}: {}",
                     claimant.pod == nullptr ? "PodGroupResourceClaim" : "PodResourceClaim",
                     pod_claim.name.str(), why);
}

std::unexpected<Stop> stop(Stop why) {
  return std::unexpected(std::move(why));
}

Problem lookup_problem(const Claimant& claimant, const api::PodClaim& pod_claim,
                       const runtime::Error& error) {
  return {Report::log, prefixed(claimant, pod_claim, error.message), outcome_after_read(error),
          Cause::lookup_failed};
}

std::string why_unsupported(const Claimant& claimant, const api::PodClaim& pod_claim) {
  constexpr std::string_view kForPod =
      "checking for claim before creating it: pod \"{}\", spec.resourceClaim \"{}\": none of the "
      "supported fields are set";
  constexpr std::string_view kForGroup =
      "checking for claim before creating it: PodGroup {}, spec.resourceClaim {}: none of the "
      "supported fields are set";
  return fmt::format(fmt::runtime(claimant.pod == nullptr ? kForGroup : kForPod),
                     claimant.user.meta.key.str(), pod_claim.name.str());
}

// Why no claim can be created from the template; nullopt if one can.
std::optional<Problem> why_not_from(const TemplatePtr& claim_template, const Claimant& claimant,
                                    const api::PodClaim& pod_claim,
                                    const common::FeatureGates& gates) {
  if (claim_template == nullptr) {
    return creation_problem(
        claimant, pod_claim, Cause::template_missing,
        fmt::format("resource claim template \"{0}\": resourceclaimtemplate.resource.k8s.io "
                    "\"{0}\" not found",
                    pod_claim.template_name));
  }
  if (claim_template->uses_admin_access && !gates.dra_admin_access) {
    return creation_problem(claimant, pod_claim, Cause::gate_off,
                            "admin access is requested, but the feature is disabled");
  }
  if (claim_template->uses_prioritized_list && !gates.dra_prioritized_list) {
    return creation_problem(
        claimant, pod_claim, Cause::gate_off,
        "template includes a prioritized list of subrequests, but the feature is disabled");
  }
  return std::nullopt;
}

std::unexpected<Stop> make_from_template(const Claimant& claimant, const KnownClaims& known,
                                         const common::FeatureGates& gates,
                                         const api::PodClaim& pod_claim, std::string name,
                                         std::string replaces) {
  const auto found = known.templates.find(pod_claim.template_name);
  const TemplatePtr claim_template = found == known.templates.end() ? nullptr : found->second;
  if (auto why_not = why_not_from(claim_template, claimant, pod_claim, gates)) {
    return stop(*std::move(why_not));
  }
  const api::ObjectMeta& owner = claimant.user.meta;
  return stop(CreateClaim{
      .pod_claim = pod_claim.name.str(),
      .name = std::move(name),
      .generate_name = generate_name(owner.key.name, pod_claim.name.str()),
      .claim_template = claim_template,
      .owner = {std::string(claimant.api_version), claimant.pod == nullptr ? "PodGroup" : "Pod",
                owner.key.name.str(), owner.uid},
      .replaces = std::move(replaces)});
}

// The claim that has the name; nullopt: another object has the name.
using ClaimOfName = std::expected<std::optional<Settled>, Stop>;

// The claim of a name that is taken, as known from the answer to a create or from the cache.
ClaimOfName look_at_taken(const Claimant& claimant, const KnownClaims& known,
                          const api::PodClaim& pod_claim, const std::string& name) {
  const auto found = known.claims.find(name);
  if (found == known.claims.end()) return stop(GetClaim{name});
  if (const auto* error = std::get_if<runtime::Error>(&found->second)) {
    return stop(lookup_problem(claimant, pod_claim, *error));
  }
  const auto* claim = std::get_if<ClaimPtr>(&found->second);
  // The claim is gone by now: the next round can use its name.
  if (claim == nullptr) {
    return stop(Problem{Report::detail,
                        prefixed(claimant, pod_claim, "claim " + name + " has just gone"),
                        Outcome::retry(), Cause::create_failed});
  }
  if (is_generated_for(**claim, claimant.user, pod_claim)) return generated(*claim);
  return std::nullopt;
}

ClaimOfName try_name(const Claimant& claimant, const KnownClaims& known,
                     const common::FeatureGates& gates, const api::PodClaim& pod_claim,
                     const std::string& name, const std::string& replaces) {
  const auto created = known.created.find(name);
  if (created == known.created.end()) {
    if (find_claim(known, name) != nullptr) return std::nullopt;
    return make_from_template(claimant, known, gates, pod_claim, name, replaces);
  }
  if (const auto* claim = std::get_if<ClaimPtr>(&created->second)) return generated(*claim);
  const auto& error = std::get<runtime::Error>(created->second);
  if (error.reason == runtime::Reason::already_exists) {
    return look_at_taken(claimant, known, pod_claim, name);
  }
  Problem problem = creation_problem(
      claimant, pod_claim, is_refusal(error) ? Cause::create_refused : Cause::create_failed,
      fmt::format("create ResourceClaim {}: {}", name, error.message), outcome_after_create(error));
  if (error.reason == runtime::Reason::shutting_down) problem.report = Report::detail;
  return stop(std::move(problem));
}

// The status names no valid claim: use an earlier one, or create one. A claim created unnoticed, by
// this process or another, has the name that is tried here.
PodClaimStep find_or_make(const Claimant& claimant, const KnownClaims& known,
                          const common::FeatureGates& gates, const api::PodClaim& pod_claim,
                          const std::string& replaces) {
  if (ClaimPtr orphan = find_orphan(known.owned, claimant.user, pod_claim)) {
    return generated(orphan);
  }
  const api::ObjectMeta& owner = claimant.user.meta;
  for (unsigned number = 0; number < kClaimNamesMax; ++number) {
    const std::string name = claim_name(owner.key.name, owner.uid, pod_claim.name.str(), number);
    ClaimOfName claim = try_name(claimant, known, gates, pod_claim, name, replaces);
    if (!claim) return std::unexpected(std::move(claim).error());
    if (*claim) return **claim;
  }
  return stop(
      creation_problem(claimant, pod_claim, Cause::create_failed,
                       "create ResourceClaim: other objects have all names that it may have"));
}

bool is_usable(const api::ResourceClaim& claim, const Claimant& claimant,
               const common::FeatureGates& gates) {
  if (claimant.pod == nullptr) return common::is_owned_by(claim, claimant.user);
  return common::is_made_for(claim, *claimant.pod, common::group_claims(gates));
}

bool is_in_use_by(const api::ResourceClaim& claim, const api::ClaimUser& user) {
  return claim.is_allocated && common::is_reserved_for(claim, user.meta.uid);
}

// If two managers have each created a claim for a pod, one may write its claim's name after the
// scheduler has allocated the other claim. Then pod and device would wait forever.
ClaimPtr find_split_off(const Claimant& claimant, const KnownClaims& known,
                        const api::PodClaim& pod_claim, const api::ResourceClaim& named) {
  if (claimant.pod == nullptr || named.is_allocated) return nullptr;
  ClaimPtr found;
  known.owned.for_each_of(claimant.user, pod_claim, [&](const ClaimPtr& claim) {
    if (is_in_use_by(*claim, claimant.user)) found = claim;
    return found != nullptr;
  });
  return found;
}

// The status names a claim. It is valid if it exists and belongs to the claimant, even during its
// deletion.
std::expected<Named, Stop> check_named(const Claimant& claimant, const KnownClaims& known,
                                       const common::FeatureGates& gates,
                                       const api::PodClaim& pod_claim, std::string_view name) {
  const auto answer = known.claims.find(name);
  if (answer == known.claims.end()) return stop(GetClaim{std::string(name)});
  if (const auto* error = std::get_if<runtime::Error>(&answer->second)) {
    return stop(lookup_problem(claimant, pod_claim, *error));
  }
  const auto* claim = std::get_if<ClaimPtr>(&answer->second);
  if (claim == nullptr) return Named{{}, fmt::format("claim {} is gone", name)};
  if (is_usable(**claim, claimant, gates)) {
    const ClaimPtr split_off = find_split_off(claimant, known, pod_claim, **claim);
    return Named{generated(split_off != nullptr ? split_off : *claim), {}};
  }
  return Named{{},
               fmt::format("claim {} is not owned by the {}", name,
                           claimant.pod == nullptr ? "pod group" : "pod")};
}

}  // namespace

ClaimPtr find_claim(const KnownClaims& known, std::string_view name) {
  const auto found = known.claims.find(name);
  if (found == known.claims.end()) return nullptr;
  const auto* claim = std::get_if<ClaimPtr>(&found->second);
  return claim == nullptr ? nullptr : *claim;
}

ClaimPtr newest(const KnownClaims& known, const ClaimPtr& claim) {
  const ClaimPtr newer = find_claim(known, claim->meta.key.name);
  return newer != nullptr ? newer : claim;
}

Problem creation_problem(const Claimant& claimant, const api::PodClaim& pod_claim, Cause cause,
                         const std::string& why, Outcome outcome) {
  return {Report::failed_creation_event, prefixed(claimant, pod_claim, why), outcome, cause};
}

bool is_for_pod_claim(const api::ResourceClaim& claim, std::string_view pod_claim) {
  if (!claim.pod_claim_name.empty()) return claim.pod_claim_name == pod_claim;
  const api::ControllerRef& owner = *claim.controller;
  return is_claim_name(claim.meta.key.name, owner.name, owner.uid, pod_claim);
}

bool is_generated_for(const api::ResourceClaim& claim, const api::ClaimUser& owner,
                      const api::PodClaim& pod_claim) {
  if (claim.meta.is_being_deleted && !is_in_use_by(claim, owner)) return false;
  return common::has_claim_user_as_controller(claim) && common::is_owned_by(claim, owner) &&
         is_for_pod_claim(claim, pod_claim.name.str());
}

void OwnedClaims::add(const ClaimPtr& claim) {
  if (!claim->pod_claim_name.empty()) {
    by_annotation_.emplace(claim->pod_claim_name, claim);
  } else {
    by_name_.emplace(claim->meta.key.name, claim);
  }
}

std::vector<ClaimPtr> OwnedClaims::candidates_for(const api::ClaimUser& owner,
                                                  const api::PodClaim& pod_claim) const {
  std::vector<ClaimPtr> candidates;
  for (auto [at, end] = by_annotation_.equal_range(pod_claim.name); at != end; ++at) {
    candidates.push_back(at->second);
  }
  if (by_name_.empty()) return candidates;
  // The names are computed only if some claim's begins like them: a pod may have thousands of pod
  // claims and one such claim.
  const api::ObjectMeta& meta = owner.meta;
  const std::string& pod_claim_name = pod_claim.name.str();
  const std::string base = claim_name_base(meta.key.name, pod_claim_name);
  const auto first = by_name_.lower_bound(base);
  if (first == by_name_.end() || !first->first.starts_with(base)) return candidates;
  for (const std::string& name : claim_names(meta.key.name, meta.uid, pod_claim_name)) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) candidates.push_back(found->second);
  }
  return candidates;
}

ClaimPtr find_orphan(const OwnedClaims& candidates, const api::ClaimUser& owner,
                     const api::PodClaim& pod_claim) {
  ClaimPtr orphan;
  candidates.for_each_of(owner, pod_claim, [&](const ClaimPtr& claim) {
    const bool is_best = is_in_use_by(*claim, owner);
    if (is_best || orphan == nullptr) orphan = claim;
    return is_best;
  });
  return orphan;
}

std::expected<Named, Stop> look_at_named(const Claimant& claimant, const KnownClaims& known,
                                         const common::FeatureGates& gates,
                                         const api::PodClaim& pod_claim) {
  using Result = std::expected<Named, Stop>;
  const runtime::Overloaded of_target{
      [&](const common::UserClaim& user) -> Result {
        return Named{Settled{Settled::Origin::user, find_claim(known, user.name)}, {}};
      },
      [&](const common::GeneratedClaim& made) -> Result {
        return check_named(claimant, known, gates, pod_claim, made.name);
      },
      [](const common::NotMadeYet&) -> Result { return Named{}; },
      [](const common::NoClaimNeeded&) -> Result {
        return Named{Settled{Settled::Origin::not_needed, nullptr}, {}};
      },
      [&](const common::UnsupportedPodClaim&) -> Result {
        return stop(creation_problem(claimant, pod_claim, Cause::unsupported,
                                     why_unsupported(claimant, pod_claim)));
      }};
  return std::visit(of_target, common::target_of(claimant.user, pod_claim));
}

PodClaimStep decide_own_claim(const Claimant& claimant, const KnownClaims& known,
                              const common::FeatureGates& gates, const api::PodClaim& pod_claim) {
  auto named = look_at_named(claimant, known, gates, pod_claim);
  if (!named) return std::unexpected(std::move(named).error());
  if (named->claim) return *named->claim;
  return find_or_make(claimant, known, gates, pod_claim, named->fault);
}

namespace {

// Which claim was made for which pod claim.
using Made = std::vector<std::pair<api::InternedString, api::InternedString>>;

// All names that the status should have. An apply removes each name that it omits, even that of a
// pod claim whose new claim could not be created.
std::vector<ClaimName> all_names(const api::ClaimUser& user, const Made& made) {
  std::map<std::string, std::string> names;
  for (const auto& [pod_claim, claim] : made) names.emplace(pod_claim.str(), claim.str());
  for (const api::PodClaimStatus& status : user.claim_statuses) {
    if (status.claim_name && !status.claim_name->empty()) {
      names.try_emplace(status.name.str(), *status.claim_name);
    }
  }
  std::vector<ClaimName> all;
  for (auto& [pod_claim, claim] : names) all.push_back({pod_claim, claim});
  return all;
}

bool status_has(const api::ClaimUser& user, const Made& names) {
  return std::ranges::all_of(names, [&](const auto& entry) {
    const api::PodClaimStatus* status = common::find_status(user, entry.first);
    return status != nullptr && status->claim_name == entry.second;
  });
}

Problem names_problem(const runtime::Error& error) {
  return {Report::log, "the names of its claims could not be written: " + error.message,
          outcome_after_write(error), Cause::names_unwritten};
}

bool is_named_in_status(const Settled& settled) {
  return settled.origin == Settled::Origin::generated || settled.origin == Settled::Origin::group;
}

using DecideOne = std::function<PodClaimStep(const api::PodClaim&)>;

// What the pod claim at that position requests next; nullopt if it requests nothing.
std::optional<ClaimsStep> asked_for(PodClaimStep& step, std::size_t position) {
  if (step) return std::nullopt;
  const runtime::Overloaded of_stop{
      [](Problem&) -> std::optional<ClaimsStep> { return std::nullopt; },
      [position](auto& request) -> std::optional<ClaimsStep> {
        request.position = position;
        return std::move(request);
      }};
  return std::visit(of_stop, step.error());
}

// The next look-up or create, from the pod claim at position `from` on; nullopt if none is left.
std::optional<ClaimsStep> next_to_make(const api::ClaimUser& user, std::size_t from,
                                       const DecideOne& decide_one) {
  for (std::size_t position = from; position < user.claims.size(); ++position) {
    PodClaimStep step = decide_one(user.claims[position]);
    if (auto next = asked_for(step, position)) return next;
  }
  return std::nullopt;
}

}  // namespace

std::expected<AllSettled, ClaimsStep> decide_claims(const api::ClaimUser& user,
                                                    const KnownClaims& known,
                                                    const DecideOne& decide_one) {
  if (known.looked_up_to > 0) {
    if (auto step = next_to_make(user, known.looked_up_to, decide_one)) {
      return std::unexpected(*std::move(step));
    }
  }
  AllSettled all;
  Made made;
  for (std::size_t position = 0; position < user.claims.size(); ++position) {
    const api::PodClaim& pod_claim = user.claims[position];
    PodClaimStep step = decide_one(pod_claim);
    if (auto next = asked_for(step, position)) return std::unexpected(*std::move(next));
    if (!step) {
      all.problems.push_back(std::get<Problem>(std::move(step).error()));
      continue;
    }
    if (step->claim == nullptr) continue;
    all.claims.push_back({position, newest(known, step->claim)});
    if (is_named_in_status(*step)) {
      made.emplace_back(pod_claim.name, step->claim->meta.key.name);
    }
  }
  if (known.names_failure) {
    // Without them kubelet finds no claim, so nothing is reserved either.
    all.claims.clear();
    all.problems.push_back(names_problem(*known.names_failure));
    return all;
  }
  if (known.names == KnownClaims::Names::not_written && !status_has(user, made)) {
    return std::unexpected(WriteNames{all_names(user, made)});
  }
  return all;
}

}  // namespace dcm::resource_claim
