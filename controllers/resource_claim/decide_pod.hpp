// What to do for a pod: make claims from templates, write their names, reserve (KEP-4381).
//
// Pure: from what is known to the one next step. The caller carries the step out, adds the answer
// to the snapshot and decides again, until the pod is finished. Look-ups are steps like writes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "client/api/decoder.hpp"
#include "client/api/encode.hpp"
#include "client/api/pod.hpp"
#include "client/api/resource_claim.hpp"
#include "client/api/resource_claim_template.hpp"
#include "controllers/common/feature_gates.hpp"
#include "controllers/resource_claim/retry.hpp"

namespace dcm::resource_claim {

using ClaimPtr = api::ObjectPtr<api::ResourceClaim>;
using PodPtr = api::ObjectPtr<api::Pod>;
using TemplatePtr = api::ObjectPtr<api::ResourceClaimTemplate>;

// The API server has said that there is no such object.
struct Gone {};
// What is known about a claim by its name.
using ClaimAnswer = std::variant<ClaimPtr, Gone, runtime::Error>;

// What this round knows: from the caches at first, then also the answers to its steps.
struct PodSnapshot {
  PodPtr pod;
  // Claims by name: of those that the pod refers to, the ones that the cache or the own-writes
  // overlay has, and the answers to GetClaim. No entry: not known yet.
  std::map<std::string, ClaimAnswer, std::less<>> claims;
  // The templates that the pod names, as far as there are any, by name.
  std::map<std::string, TemplatePtr, std::less<>> templates;
  // Claims that may be owned by the pod: cache and overlay.
  std::vector<ClaimPtr> owned;
  // Whether a create for this pod may have succeeded without our knowing. Then `owned` proves
  // nothing, and a consistent list must be asked first.
  enum class EarlierCreates { outcome_known, outcome_unknown } earlier_creates{};
  // The answer to ListClaims.
  std::optional<std::variant<std::vector<ClaimPtr>, runtime::Error>> listed;
  // The answers to CreateClaim, by pod claim.
  std::map<std::string, std::variant<ClaimPtr, runtime::Error>, std::less<>> created;
  // The answer to WriteNames.
  enum class Names { not_written, written } names{};
  std::optional<runtime::Error> names_failure;
  // Claims that are being reserved for another pod at this moment: the two would but conflict, and
  // this pod is woken when the other is through.
  std::set<std::string, std::less<>> busy;
  // The failures of Reserve, by claim name. After a success the claim is replaced in `claims`.
  std::map<std::string, runtime::Error, std::less<>> reserve_failures;
};

// Asks the API server for a claim that the pod's status names: the claim watch may be behind the
// pod watch, and a second claim must not be made.
struct GetClaim {
  std::string name;
  friend bool operator==(const GetClaim&, const GetClaim&) = default;
};

// Asks for all claims of the namespace, consistently: to find the one that a create made whose
// answer was lost.
struct ListClaims {
  friend bool operator==(const ListClaims&, const ListClaims&) = default;
};

struct CreateClaim {
  std::string pod_claim;
  std::string generate_name;
  TemplatePtr claim_template;
  api::ClaimOwner owner;
  // What is wrong with the claim that the status names; empty: it names none.
  std::string replaces;
};

struct ClaimName {
  std::string pod_claim;
  std::string claim;
  friend bool operator==(const ClaimName&, const ClaimName&) = default;
};
// Writes all claim names of the pod at once, sorted by pod claim.
struct WriteNames {
  std::vector<ClaimName> names;
  friend bool operator==(const WriteNames&, const WriteNames&) = default;
};

struct Reserve {
  ClaimPtr claim;
  api::ConsumerReference consumer;
};

// Something that could not be done.
struct PodProblem {
  // Who is told: the user by an event of that reason, the operator by the log, or nobody but a
  // verbose log (a conflict is no fault).
  enum class Report : std::uint8_t { failed_creation_event, failed_reservation_event, log, detail };
  // What is wrong, for who has to explain it.
  enum class Cause : std::uint8_t {
    unsupported,       // a pod claim with a source that we do not know
    template_missing,  //
    gate_off,          // the template asks for something that a feature gate forbids
    create_failed,     //
    names_unwritten,   // the pod's status does not name the claims that were made
    lookup_failed,     // a claim, or the claims of the namespace, could not be read
    too_many_users,    // status.reservedFor has no room for one more
    reserve_failed,    //
    group,             // the pod is a member of a group, and the gate for groups is off
  };
  Report report = Report::log;
  std::string message;
  Retry retry = Retry::with_backoff;
  Cause cause = Cause::unsupported;
  friend bool operator==(const PodProblem&, const PodProblem&) = default;
};
struct PodFinished {
  std::vector<PodProblem> problems;
};

using PodStep = std::variant<PodFinished, GetClaim, ListClaims, CreateClaim, WriteNames, Reserve>;

// The next step. A step is never asked for twice within a round, so rounds end.
PodStep decide_pod(const PodSnapshot& snapshot, const common::FeatureGates& gates);

// ---- what it is made of, for who asks about one pod claim ---------------------------------------

// Why nothing is made or reserved for a pod, whatever it asks for.
enum class LeftAlone : std::uint8_t {
  finished,  // or deleted before it was given a node
  being_deleted,
  in_group,  // while the gate for groups is off
};
std::optional<LeftAlone> why_left_alone(const api::Pod& pod, const common::FeatureGates& gates);

// A pod claim for which nothing has to be asked or made (any more) in this round.
struct Settled {
  enum class Origin : std::uint8_t { user, generated, not_needed } origin = Origin::user;
  ClaimPtr claim;  // null: a user's that is not known, or none is needed
};
using PodClaimStep = std::variant<Settled, PodProblem, GetClaim, ListClaims, CreateClaim>;
PodClaimStep decide_pod_claim(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                              const api::PodClaim& pod_claim);

// A pod that was given its node by somebody who does not know about claims has its claims reserved
// here. Why this one is not:
enum class NotReserved : std::uint8_t {
  no_node,           // the scheduler does it
  not_allocated,     // there is nothing to reserve yet
  being_deleted,     // the claim is on its way out
  already_reserved,  // for this pod
  under_way,         // for another pod, at this moment
};
using ReservationStep = std::variant<NotReserved, PodProblem, Reserve>;
ReservationStep decide_reservation(const PodSnapshot& snapshot, const ClaimPtr& claim);

}  // namespace dcm::resource_claim
