#include "controllers/resource_claim/sync/claim_user_sync.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/describe.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_claim {
namespace {

PodPtr& object_of(PodSnapshot& snapshot) {
  return snapshot.pod;
}
GroupPtr& object_of(GroupSnapshot& snapshot) {
  return snapshot.group;
}

const auto& store_of(const PodSnapshot& /*snapshot*/, const Stores& stores) {
  return stores.pods;
}
const auto& store_of(const GroupSnapshot& /*snapshot*/, const Stores& stores) {
  return stores.groups->groups;
}

Outcome outcome_before(const PodSnapshot& snapshot) {
  return snapshot.busy.empty() ? Outcome::done() : Outcome::set_aside();
}
Outcome outcome_before(const GroupSnapshot& /*snapshot*/) {
  return Outcome::done();
}

auto& own_writes_of(const PodSnapshot& /*snapshot*/, Stores& stores) {
  return stores.own_pods;
}
auto& own_writes_of(const GroupSnapshot& /*snapshot*/, Stores& stores) {
  return stores.groups->own_groups;
}

// Problems reported before others get a turn: about 1 ms.
constexpr std::size_t kProblemsPerSlice = 256;

constexpr std::string_view kComponent = "resource_claim";
constexpr std::string_view kFailedCreation = "FailedResourceClaimCreation";
constexpr std::string_view kFailedReservation = "FailedResourceClaimReservation";

// An unsent request proves nothing about the API server.
bool was_sent(const runtime::Error& error) {
  return error.http_status || runtime::is_outcome_unknown(error);
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

Task<Outcome> ClaimUserSync::sync_pod(api::NamespacedName key, Priority priority) {
  const PodPtr pod = deps_.stores.pods.get(key);
  if (pod == nullptr) co_return Outcome::done();
  co_return co_await run_round(*this, snapshot_of(pod), priority);
}

Task<Outcome> ClaimUserSync::sync_group(api::NamespacedName key, Priority priority) {
  const GroupPtr group = deps_.stores.groups->groups.get(key);
  if (group == nullptr) co_return Outcome::done();
  co_return co_await run_round(*this, snapshot_of(group), priority);
}

PodSnapshot ClaimUserSync::snapshot_of(const PodPtr& pod) const {
  return make_pod_snapshot(deps_.stores, pod);
}

GroupSnapshot ClaimUserSync::snapshot_of(const GroupPtr& group) const {
  GroupSnapshot snapshot = make_group_snapshot(deps_.stores, group);
  snapshot.api_version = group_version_;
  return snapshot;
}

// The object may have changed while a step waited. Returns false if it is gone or was replaced.
template <class Snapshot>
bool ClaimUserSync::refresh(Snapshot& snapshot) const {
  auto& object = object_of(snapshot);
  auto newest = store_of(snapshot, deps_.stores).get(object->meta.key);
  if (newest == nullptr || newest->meta.uid != object->meta.uid) return false;
  object = std::move(newest);
  return true;
}

PodStep ClaimUserSync::decide(const PodSnapshot& snapshot) const {
  PodStep step = decide_pod(snapshot, gates_);
  if (deps_.log.v(4)) {
    deps_.log.info("Decided", {{"pod", snapshot.pod->meta.key.str()}, {"step", describe(step)}});
  }
  return step;
}

GroupStep ClaimUserSync::decide(const GroupSnapshot& snapshot) const {
  GroupStep step = decide_group(snapshot, gates_);
  if (deps_.log.v(4)) {
    deps_.log.info("Decided",
                   {{"podGroup", snapshot.group->meta.key.str()}, {"step", describe(step)}});
  }
  return step;
}

// Reports failures to users, to operators or only to the log. Ends with the outcome of the problem
// that can be retried first.
template <class Snapshot>
Task<RoundEnd> ClaimUserSync::carry_out(Snapshot& snapshot, const EndRound& step,
                                        Priority /*priority*/) {
  const User user = user_of(snapshot);
  Outcome outcome = outcome_before(snapshot);
  std::size_t reported = 0;
  for (const Problem& problem : step.problems) {
    report(user, problem);
    outcome = std::min(outcome, problem.outcome);
    if (++reported % kProblemsPerSlice == 0) co_await runtime::yield();
  }
  co_return outcome;
}

template <class Snapshot, class Step>
Task<RoundEnd> ClaimUserSync::carry_out(Snapshot& snapshot, const Step& step, Priority priority) {
  return ask(snapshot, user_of(snapshot), step, priority);
}

Task<RoundEnd> ClaimUserSync::carry_out(PodSnapshot& snapshot, const WriteNames& step,
                                        Priority priority) {
  deps_.foreign.expect_own(*snapshot.pod, step.names);
  const ApplyNames<api::Pod> names{snapshot.pod, step.names};
  const Result<PodPtr> written = co_await deps_.api.send(names, priority);
  co_return note_names(snapshot, step, written);
}

Task<RoundEnd> ClaimUserSync::carry_out(GroupSnapshot& snapshot, const WriteNames& step,
                                        Priority priority) {
  const ApplyNames<api::PodGroup> names{snapshot.group, step.names};
  const Result<GroupPtr> written = co_await deps_.api.send(names, priority);
  co_return note_names(snapshot, step, written);
}

// `written`: the object as it is now.
template <class Snapshot, class Written>
RoundEnd ClaimUserSync::note_names(Snapshot& snapshot, const WriteNames& step,
                                   const Result<Written>& written) {
  if (!written) {
    if (runtime::is_object_gone(written.error())) return Outcome::done();
    snapshot.names_failure = written.error();
    return std::nullopt;
  }
  own_writes_of(snapshot, deps_.stores).record(*written);
  const User user = user_of(snapshot);
  if (user.has_no_names) observe_latency(ClaimLatency::Stage::named, user);
  snapshot.names = KnownClaims::Names::written;
  if (deps_.log.v(2)) {
    log_about(user.item, deps_.log)
        .info("Claim names written", {{"step", describe(PodStep(step))}});
  }
  return std::nullopt;
}

Task<RoundEnd> ClaimUserSync::carry_out(PodSnapshot& snapshot, const Reserve& step,
                                        Priority priority) {
  const api::NamespacedName key = step.claim->meta.key;
  auto turn = reservations_.begin(key, {{Item::Kind::pod, snapshot.pod->meta.key}, priority});
  if (!turn) {
    snapshot.busy.insert(key.name);
    co_return std::nullopt;
  }
  snapshot.reserved_up_to = step.position;
  const Result<ClaimPtr> reserved = co_await reserve(step, priority);
  if (reserved) {
    turn->succeeded();
    snapshot.claims.insert_or_assign(key.name, *reserved);
  } else {
    snapshot.reserve_failures.emplace(key.name, reserved.error());
  }
  co_await reservations_.end(*std::move(turn));
  co_return std::nullopt;
}

Task<Result<ClaimPtr>> ClaimUserSync::reserve(const Reserve& step, Priority priority) {
  const Result<ClaimPtr> reserved = co_await deps_.api.send(step, priority);
  if (!reserved) co_return reserved;
  if (deps_.log.v(2)) {
    deps_.log.info("Claim reserved", {{"claim", step.claim->meta.key.str()},
                                      {"resource", step.consumer.resource.str()},
                                      {"name", step.consumer.name}});
  }
  deps_.stores.own_claims.record(*reserved);
  // An admission webhook may have undone the reservation: it is not repeated in this round.
  if (!common::is_reserved_for(**reserved, step.consumer.uid)) {
    co_return runtime::fail(runtime::Reason::conflict, "the reservation did not last");
  }
  co_return reserved;
}

Task<RoundEnd> ClaimUserSync::ask(KnownClaims& known, User user, const GetClaim& step,
                                  Priority priority) {
  const Get<api::ResourceClaim> get{{user.item.key.namespace_, step.name}};
  const Result<ClaimPtr> claim = co_await deps_.api.send(get, priority);
  known.looked_up_to = step.position;
  if (claim) {
    const auto& controller = (*claim)->controller;
    // Equivalent to the answer to a create.
    if (controller && controller->uid == user.reference.uid) deps_.stores.own_claims.record(*claim);
    known.claims.emplace(step.name, *claim);
  } else if (runtime::is_not_found(claim.error())) {
    known.claims.emplace(step.name, Gone{});
  } else {
    known.claims.emplace(step.name, claim.error());
  }
  co_return std::nullopt;
}

Task<RoundEnd> ClaimUserSync::ask(KnownClaims& known, User user, const CreateClaim& step,
                                  Priority priority) {
  if (const auto wait = deps_.foreign.give_way(user.item.key.namespace_, user.reference.uid)) {
    deps_.problems.note(user.item,
                        fmt::format("another manager makes claims too, so this one waits {} s for "
                                    "that manager to create them; see kubectl describe lease",
                                    ForeignClaims::kGiveWay.count()));
    co_return Outcome::requeue_after(*wait);
  }
  if (!step.replaces.empty()) {
    const runtime::Logger log = log_about(user.item, deps_.log);
    log.warning("A claim named in the status cannot be used; making a new one",
                {{"podClaim", step.pod_claim}, {"because", step.replaces}});
  }
  const Result<ClaimPtr> created = co_await deps_.api.send(step, priority);
  known.looked_up_to = step.position;
  note_created(step, created, user);
  if (created) {
    known.claims.insert_or_assign((*created)->meta.key.name, *created);
    known.created.emplace(step.name, *created);
  } else {
    known.created.emplace(step.name, created.error());
  }
  co_return std::nullopt;
}

void ClaimUserSync::note_created(const CreateClaim& step, const Result<ClaimPtr>& created,
                                 const User& user) {
  using Owner = CreateMetrics::Owner;
  const AdminAccess admin =
      step.claim_template->uses_admin_access ? AdminAccess::yes : AdminAccess::no;
  const Owner kind = user.item.kind == Item::Kind::group ? Owner::group : Owner::pod;
  if (created) {
    deps_.metrics.count(CreateMetrics::Status::success, admin, kind);
    deps_.stores.own_claims.record(*created);
    if (step.replaces.empty()) observe_latency(ClaimLatency::Stage::created, user);
    if (deps_.log.v(2)) {
      const runtime::Logger log = log_about(user.item, deps_.log);
      log.info("Claim created", {{"claim", (*created)->meta.key.str()}});
    }
    return;
  }
  // A claim that exists already is found by the next step; that is no failure.
  const bool is_failure =
      was_sent(created.error()) && created.error().reason != runtime::Reason::already_exists;
  if (is_failure) deps_.metrics.count(CreateMetrics::Status::failure, admin, kind);
}

void ClaimUserSync::observe_latency(ClaimLatency::Stage stage, const User& user) const {
  const workqueue::Problem* const before = deps_.problems.find(user.item);
  if (before != nullptr && before->whose == workqueue::Whose::users) return;
  deps_.latency.observe(stage, user.created);
}

void ClaimUserSync::report(const User& user, const Problem& problem) const {
  using Report = Problem::Report;
  if (problem.outcome != Outcome::done()) {
    deps_.problems.note(user.item, problem.message, whose(problem.cause));
  }
  const bool is_event = problem.report == Report::failed_creation_event ||
                        problem.report == Report::failed_reservation_event;
  if (is_event) {
    deps_.events.report(
        user.reference, api::EventType::warning, kComponent,
        problem.report == Report::failed_creation_event ? kFailedCreation : kFailedReservation,
        problem.message);
  }
  if (problem.report == Report::detail && !deps_.log.v(4)) return;
  const runtime::Logger log = log_about(user.item, deps_.log);
  log.warning("The claims are not complete", {{"why", problem.message}});
}

ClaimUserSync::User ClaimUserSync::user_of(Item::Kind kind, const api::ClaimUser& user,
                                           std::string api_version, std::string kind_name) {
  const api::ObjectMeta& meta = user.meta;
  return {{kind, meta.key},
          user.created,
          user.claim_statuses.empty(),
          {std::move(api_version), std::move(kind_name), meta.key, meta.uid,
           meta.resource_version.str()}};
}

ClaimUserSync::User ClaimUserSync::user_of(const PodSnapshot& snapshot) const {
  return user_of(Item::Kind::pod, *snapshot.pod, "v1", "Pod");
}

ClaimUserSync::User ClaimUserSync::user_of(const GroupSnapshot& snapshot) const {
  return user_of(Item::Kind::group, *snapshot.group, group_version_, "PodGroup");
}

}  // namespace dcm::resource_claim
