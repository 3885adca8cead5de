// Decides the next step until a pod, or a pod group, has its claims from templates, and its status
// has their names (KEP-4381, KEP-5729).
//
// Pure, one step at a time; decide_pod.hpp builds on it.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/api/decoder.hpp"
#include "controllers/api/encode_claim.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/common/feature_gates.hpp"
#include "controllers/resource_claim/rules/retry.hpp"

namespace dcm::resource_claim {

using ClaimPtr = api::ObjectPtr<api::ResourceClaim>;
using GroupPtr = api::ObjectPtr<api::PodGroup>;
using PodPtr = api::ObjectPtr<api::Pod>;
using TemplatePtr = api::ObjectPtr<api::ResourceClaimTemplate>;

// The API server has answered that there is no such object.
struct Gone {};
// The answer to a look-up of a claim by its name.
using ClaimAnswer = std::variant<ClaimPtr, Gone, runtime::Error>;

// Whether its owner has the claim for that pod claim: by its annotation, or if a policy has
// stripped the annotation, by its name. Requires an owner (`controller`).
bool is_for_pod_claim(const api::ResourceClaim& claim, std::string_view pod_claim);

// Whether the claim was created for this pod claim, and will stay: one in deletion stays as long as
// its owner uses it.
bool is_generated_for(const api::ResourceClaim& claim, const api::ClaimUser& owner,
                      const api::PodClaim& pod_claim);

// Claims that a pod or group may own, indexed by their pod claim: it may have thousands of both.
class OwnedClaims {
 public:
  void add(const ClaimPtr& claim);

  // The claims that may have been created for this pod claim of `owner`: those with its annotation,
  // then those without annotation that have one of its few names. Anybody may make the latter, for
  // thousands of pod claims whose names differ only at the end.
  std::vector<ClaimPtr> candidates_for(const api::ClaimUser& owner,
                                       const api::PodClaim& pod_claim) const;

  // Calls `visit(claim)` for each claim that was created for this pod claim of `owner` and will
  // stay, until it returns true.
  template <class Visit>
  void for_each_of(const api::ClaimUser& owner, const api::PodClaim& pod_claim, Visit visit) const {
    for (const ClaimPtr& claim : candidates_for(owner, pod_claim)) {
      if (is_generated_for(*claim, owner, pod_claim) && visit(claim)) return;
    }
  }

 private:
  // Views into the claims.
  std::multimap<std::string_view, ClaimPtr> by_annotation_;
  std::map<std::string_view, ClaimPtr> by_name_;  // of those without annotation
};

// The claims of a pod or group as this round knows them: from the caches at first, then also from
// the answers to its steps.
struct KnownClaims {
  // Claims by name: those that the pod or group refers to or owns, from the cache and our own
  // writes, and the answers to GetClaim. No entry: not known yet.
  std::map<api::InternedString, ClaimAnswer> claims;
  // The templates that it names, if they exist, by name.
  std::map<std::string, TemplatePtr, std::less<>> templates;
  // Claims that it may own: from the cache and our own writes.
  OwnedClaims owned;
  // The answers to CreateClaim, by the name of the claim.
  std::map<std::string, std::variant<ClaimPtr, runtime::Error>, std::less<>> created;
  // The answer to WriteNames.
  enum class Names { not_written, written } names{};
  std::optional<runtime::Error> names_failure;
  // The position of the pod claim of the last GetClaim or CreateClaim. Earlier ones were judged in
  // this round: they are judged again only when nothing is left to request, because a pod may have
  // thousands.
  std::size_t looked_up_to = 0;
};

// Null: it does not exist, or is unknown.
ClaimPtr find_claim(const KnownClaims& known, std::string_view name);
// The latest state of the claim known to this round.
ClaimPtr newest(const KnownClaims& known, const ClaimPtr& claim);

// Asks the API server for a claim: one that the status names (the claim watch may lag behind the
// pod watch), or one whose name a new claim would get.
struct GetClaim {
  std::string name;
  std::size_t position = 0;  // of the pod claim
  friend bool operator==(const GetClaim&, const GetClaim&) = default;
};

struct CreateClaim {
  std::string pod_claim;
  std::string name;
  std::string generate_name;
  TemplatePtr claim_template;
  api::ClaimOwner owner;
  // What is wrong with the claim that the status names; empty: the status names none.
  std::string replaces;
  std::size_t position = 0;  // of the pod claim
};

struct ClaimName {
  std::string pod_claim;
  std::string claim;
  friend bool operator==(const ClaimName&, const ClaimName&) = default;
};
// Writes all claim names of the pod or group at once, sorted by pod claim.
struct WriteNames {
  std::vector<ClaimName> names;
  friend bool operator==(const WriteNames&, const WriteNames&) = default;
};

// Something that could not be done.
struct Problem {
  // The audience of a problem: the user, by an event with that reason; the operator, by the log; or
  // only a verbose log (a conflict is no fault).
  enum class Report : std::uint8_t { failed_creation_event, failed_reservation_event, log, detail };
  // The kind of problem, for `explain`.
  enum class Cause : std::uint8_t {
    unsupported,       // a pod claim with an unknown source
    template_missing,  //
    gate_off,          // a feature gate forbids a field of the template or the pod claim
    create_failed,     //
    create_refused,    // by a quota, a policy or validation
    names_unwritten,   // the status does not name the created claims
    lookup_failed,     // a claim could not be read
    too_many_users,    // status.reservedFor is full
    reserve_failed,    //
    group_refused,     // the pod is a member of a group, and the gate for groups is off
    group_missing,     // the pod's group does not exist
  };
  Report report = Report::log;
  std::string message;
  Outcome outcome = Outcome::retry();
  Cause cause = Cause::unsupported;
  friend bool operator==(const Problem&, const Problem&) = default;
};
struct EndRound {
  std::vector<Problem> problems;
};

// The pod or group that claims are created for.
struct Claimant {
  const api::ClaimUser& user;
  const api::Pod* pod;           // null: a pod group
  std::string_view api_version;  // for owner references
};

// A pod claim for which nothing is left to request in this round.
struct Settled {
  enum class Origin : std::uint8_t {
    user,
    generated,
    not_needed,
    group,  // the group's own round creates it, and wakes its pods
  };
  Origin origin = Origin::user;
  // Null: a user's claim that is unknown, a group's that its status does not name, or not_needed.
  ClaimPtr claim;
};
// Why a pod claim is not settled: a request has to be sent first, or something cannot be done.
using Stop = std::variant<Problem, GetClaim, CreateClaim>;
using PodClaimStep = std::expected<Settled, Stop>;
// Calls `words` with the step: Settled or an alternative of Stop.
template <class Words>
void tell(const PodClaimStep& step, const Words& words) {
  if (step) return words(*step);
  std::visit(words, step.error());
}

// The claim that spec and status name for a pod claim.
struct Named {
  std::optional<Settled> claim;  // nullopt: no usable claim
  std::string fault;             // what is wrong with the named claim; empty: none was created yet
};
std::expected<Named, Stop> look_at_named(const Claimant& claimant, const KnownClaims& known,
                                         const common::FeatureGates& gates,
                                         const api::PodClaim& pod_claim);

// A claim that was created for this pod claim and will stay, but whose name is missing from the
// status. Null if none.
ClaimPtr find_orphan(const OwnedClaims& candidates, const api::ClaimUser& owner,
                     const api::PodClaim& pod_claim);

// A problem of a pod claim that an event reports; `why` is for users.
Problem creation_problem(const Claimant& claimant, const api::PodClaim& pod_claim,
                         Problem::Cause cause, const std::string& why,
                         Outcome outcome = Outcome::retry());

// The next step for a pod claim whose claim belongs to the claimant itself.
PodClaimStep decide_own_claim(const Claimant& claimant, const KnownClaims& known,
                              const common::FeatureGates& gates, const api::PodClaim& pod_claim);

// All pod claims are settled or have a problem, and the status has the names.
struct AllSettled {
  struct Use {
    std::size_t position;  // of the pod claim
    ClaimPtr claim;
  };
  std::vector<Use> claims;
  std::vector<Problem> problems;
};
// A step towards that.
using ClaimsStep = std::variant<GetClaim, CreateClaim, WriteNames>;
// The next step for all pod claims, given the decision about one.
std::expected<AllSettled, ClaimsStep> decide_claims(
    const api::ClaimUser& user, const KnownClaims& known,
    const std::function<PodClaimStep(const api::PodClaim&)>& decide_one);

// Converts a step to a variant with more alternatives.
template <class Step, class... Few>
Step widen(std::variant<Few...> step) {
  return std::visit([](auto& one) -> Step { return std::move(one); }, step);
}

}  // namespace dcm::resource_claim
