#include "controllers/resource_claim/sync/claim_generator.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/describe.hpp"

namespace dcm::resource_claim {
namespace {

constexpr std::string_view kComponent = "resource_claim";
constexpr std::string_view kFailedCreation = "FailedResourceClaimCreation";
constexpr std::string_view kFailedReservation = "FailedResourceClaimReservation";

// A request that never left says nothing about the API server.
bool was_sent(const runtime::Error& error) {
  switch (error.reason) {
    case runtime::Reason::shutting_down:
    case runtime::Reason::configuration:
    case runtime::Reason::unreachable:
    case runtime::Reason::tls:
      return false;
    default:
      return error.reason != runtime::Reason::too_many_requests || error.http_status.has_value();
  }
}

workqueue::Whose whose(Problem::Cause cause) {
  using enum Problem::Cause;
  const bool is_users = cause == template_missing || cause == create_refused || cause == gate_off ||
                        cause == group_refused || cause == group_missing;
  return is_users ? workqueue::Whose::users : workqueue::Whose::ours;
}

runtime::Logger log_about(const Item& item, const runtime::Logger& log) {
  if (item.kind == Item::Kind::group) return log.with({{"podGroup", item.key.str()}});
  return log.with({{"pod", item.key.str()}});
}

}  // namespace

Task<RoundEnd> ClaimGenerator::carry_out(KnownClaims& known, ClaimUserItem owner,
                                         const GetClaim& step, Attempt attempt) {
  const Get<api::ResourceClaim> get{{owner.item.key.namespace_, step.name}};
  const Result<ClaimPtr> claim = co_await deps_.api.send(get, attempt.priority);
  known.looked_up_to = step.position;
  if (claim) {
    const auto& controller = (*claim)->controller;
    // As good as the answer to a create.
    if (controller && controller->uid == owner.reference.uid)
      deps_.stores.own_claims.record(*claim);
    known.claims.emplace(step.name, *claim);
  } else if (runtime::is_not_found(claim.error())) {
    known.claims.emplace(step.name, Gone{});
  } else {
    known.claims.emplace(step.name, claim.error());
  }
  co_return std::nullopt;
}

Task<RoundEnd> ClaimGenerator::carry_out(KnownClaims& known, ClaimUserItem owner,
                                         const CreateClaim& step, Attempt attempt) {
  if (const auto wait = deps_.foreign.give_way(owner.item.key.namespace_, owner.reference.uid)) {
    deps_.problems.note(owner.item,
                        "another manager makes claims too, so its claims are left to that manager "
                        "for 30 s; see kubectl describe lease");
    co_return Outcome::requeue_after(*wait);
  }
  if (!step.replaces.empty()) {
    const runtime::Logger log = log_about(owner.item, deps_.log);
    log.warning("A claim named in the status cannot be used; making a new one",
                {{"podClaim", step.pod_claim}, {"because", step.replaces}});
  }
  const Result<ClaimPtr> created = co_await deps_.api.send(step, attempt.priority);
  known.looked_up_to = step.position;
  note_created(step, created, owner);
  if (created) {
    known.claims.insert_or_assign((*created)->meta.key.name, *created);
    known.created.emplace(step.name, *created);
  } else {
    known.created.emplace(step.name, created.error());
  }
  co_return std::nullopt;
}

void ClaimGenerator::note_created(const CreateClaim& step, const Result<ClaimPtr>& created,
                                  const ClaimUserItem& owner) {
  using Owner = CreateMetrics::Owner;
  const AdminAccess admin =
      step.claim_template->uses_admin_access ? AdminAccess::yes : AdminAccess::no;
  const Owner kind = owner.item.kind == Item::Kind::group ? Owner::group : Owner::pod;
  if (created) {
    deps_.metrics.count(CreateMetrics::Status::success, admin, kind);
    deps_.stores.own_claims.record(*created);
    if (step.replaces.empty()) observe_latency(ClaimLatency::Stage::created, owner);
    if (deps_.log.v(2)) {
      const runtime::Logger log = log_about(owner.item, deps_.log);
      log.info("Claim created", {{"claim", (*created)->meta.key.str()}});
    }
    return;
  }
  // A claim that exists already is found by the next step; that is no failure.
  const bool is_failure =
      was_sent(created.error()) && created.error().reason != runtime::Reason::already_exists;
  if (is_failure) deps_.metrics.count(CreateMetrics::Status::failure, admin, kind);
}

void ClaimGenerator::observe_latency(ClaimLatency::Stage stage, const ClaimUserItem& owner) const {
  const workqueue::Problem* const before = deps_.problems.find(owner.item);
  if (before != nullptr && before->whose == workqueue::Whose::users) return;
  deps_.latency.observe(stage, owner.created);
}

RoundEnd ClaimGenerator::note_names(KnownClaims& known, const ClaimUserItem& owner,
                                    const WriteNames& step, const runtime::Error* error) {
  if (error == nullptr) {
    if (owner.has_no_names) observe_latency(ClaimLatency::Stage::named, owner);
    known.names = KnownClaims::Names::written;
    if (deps_.log.v(2)) {
      log_about(owner.item, deps_.log)
          .info("Claim names written", {{"step", describe(PodStep(step))}});
    }
    return std::nullopt;
  }
  if (runtime::is_object_gone(*error)) return Outcome::done();
  known.names_failure = *error;
  return std::nullopt;
}

Outcome ClaimGenerator::report(const ClaimUserItem& owner,
                               const std::vector<Problem>& problems) const {
  Outcome outcome = Outcome::done();
  for (const Problem& problem : problems) {
    report(owner, problem);
    outcome = std::min(outcome, problem.outcome);
  }
  return outcome;
}

void ClaimGenerator::report(const ClaimUserItem& owner, const Problem& problem) const {
  using Report = Problem::Report;
  if (problem.outcome != Outcome::done()) {
    deps_.problems.note(owner.item, problem.message, whose(problem.cause));
  }
  const bool is_event = problem.report == Report::failed_creation_event ||
                        problem.report == Report::failed_reservation_event;
  if (is_event) {
    deps_.events.report(
        owner.reference, api::EventType::warning, kComponent,
        problem.report == Report::failed_creation_event ? kFailedCreation : kFailedReservation,
        problem.message);
  }
  if (problem.report == Report::detail && !deps_.log.v(4)) return;
  const runtime::Logger log = log_about(owner.item, deps_.log);
  log.warning("The claims are not complete", {{"why", problem.message}});
}

}  // namespace dcm::resource_claim
