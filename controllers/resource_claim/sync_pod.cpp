#include "controllers/resource_claim/sync_pod.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/describe.hpp"
#include "controllers/resource_claim/snapshots.hpp"

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

api::ObjectReference reference_to(const api::Pod& pod) {
  return {"v1", "Pod", pod.meta.key, pod.meta.uid, pod.meta.resource_version.str()};
}

}  // namespace

PodSync::PodSync(Stores stores, ClaimApi& api, common::EventSink& events, CreateMetrics& metrics,
                 ItemProblems& problems, common::FeatureGates gates,
                 Predecessor::Exists predecessor, Wake wake, runtime::Logger log)
    : stores_(std::move(stores)),
      api_(api),
      events_(events),
      metrics_(metrics),
      problems_(problems),
      gates_(gates),
      log_(std::move(log)),
      predecessor_(predecessor),
      listings_(wake),
      reservations_(std::move(wake)) {}

Task<Retry> PodSync::sync(api::NamespacedName key, Attempt attempt) {
  const PodPtr pod = stores_.pods.get(key);
  forget_finished_creates(key, pod);
  if (pod == nullptr) co_return Retry::never;
  PodSnapshot snapshot = snapshot_of(pod);
  while (refresh(snapshot)) {
    const PodStep step = decide_pod(snapshot, gates_);
    if (log_.v(4)) log_.info("Decided", {{"pod", key.str()}, {"step", describe(step)}});
    auto carried_out =
        std::visit([&](const auto& what) { return carry_out(snapshot, what, attempt); }, step);
    const End end = co_await std::move(carried_out);
    if (end) co_return *end;
  }
  co_return Retry::never;
}

PodSnapshot PodSync::snapshot_of(const PodPtr& pod) const {
  return make_pod_snapshot(stores_, pod, earlier_creates(*pod));
}

Task<PodSync::End> PodSync::carry_out(PodSnapshot& snapshot, const PodFinished& step,
                                      Attempt attempt) {
  Retry retry = snapshot.busy.empty() ? Retry::never : Retry::when_woken;
  for (const PodProblem& problem : step.problems) {
    report(*snapshot.pod, problem, attempt);
    retry = sooner(retry, problem.retry);
  }
  co_return retry;
}

Task<PodSync::End> PodSync::carry_out(PodSnapshot& snapshot, const GetClaim& step,
                                      Attempt attempt) {
  const Result<ClaimPtr> claim =
      co_await api_.get_claim({snapshot.pod->meta.key.namespace_, step.name}, attempt.priority);
  if (claim) {
    snapshot.claims.emplace(step.name, *claim);
  } else if (runtime::is_not_found(claim.error())) {
    snapshot.claims.emplace(step.name, Gone{});
  } else {
    snapshot.claims.emplace(step.name, claim.error());
  }
  co_return std::nullopt;
}

Task<PodSync::End> PodSync::carry_out(PodSnapshot& snapshot, const ListClaims& /*step*/,
                                      Attempt attempt) {
  const api::NamespacedName pod = snapshot.pod->meta.key;
  if (!predecessor_.may_have_left(pod.namespace_)) {
    co_await list_claims(snapshot, attempt);
    co_return std::nullopt;
  }
  auto turn = listings_.begin(pod.namespace_, {pod, attempt.priority});
  if (!turn) co_return Retry::when_woken;
  const bool is_listed = co_await list_claims(snapshot, attempt);
  if (is_listed) turn->succeeded();
  co_return std::nullopt;
}

Task<bool> PodSync::list_claims(PodSnapshot& snapshot, Attempt attempt) {
  const api::NamespacedName key = snapshot.pod->meta.key;
  const api::Uid uid = snapshot.pod->meta.uid;
  const Result<std::vector<ClaimPtr>> listed =
      co_await api_.list_claims(key.namespace_, attempt.priority);
  if (!listed) {
    snapshot.listed = listed.error();
    co_return false;
  }
  std::vector<ClaimPtr> owned;
  for (const ClaimPtr& claim : *listed) {
    if (!common::has_pod_as_controller(*claim)) continue;
    // It may be one that was made without our knowing: as good as an answer to a create.
    stores_.own_claims.record(claim);
    if (claim->controller->uid != uid) continue;
    owned.push_back(claim);
    snapshot.claims.insert_or_assign(claim->meta.key.name, claim);
  }
  snapshot.listed = std::move(owned);
  unknown_creates_.erase(key);
  predecessor_.note_listed(key.namespace_);
  co_return true;
}

Task<PodSync::End> PodSync::carry_out(PodSnapshot& snapshot, const CreateClaim& step,
                                      Attempt attempt) {
  const PodPtr pod = snapshot.pod;
  if (!step.replaces.empty()) {
    log_.warning(
        "A claim that the pod's status names does not do; making a new one",
        {{"pod", pod->meta.key.str()}, {"podClaim", step.pod_claim}, {"because", step.replaces}});
  }
  const Result<ClaimPtr> created =
      co_await api_.create_claim(pod->meta.key.namespace_, step, attempt.priority);
  note_created(step, created, *pod);
  if (created) {
    snapshot.claims.insert_or_assign((*created)->meta.key.name, *created);
    snapshot.created.emplace(step.pod_claim, *created);
  } else {
    snapshot.created.emplace(step.pod_claim, created.error());
  }
  co_return std::nullopt;
}

Task<PodSync::End> PodSync::carry_out(PodSnapshot& snapshot, const WriteNames& step,
                                      Attempt attempt) {
  const Result<PodPtr> written =
      co_await api_.write_names(snapshot.pod, step.names, attempt.priority);
  if (written) {
    if (log_.v(2)) {
      log_.info("Claim names written",
                {{"pod", snapshot.pod->meta.key.str()}, {"step", describe(step)}});
    }
    stores_.own_pods.record(*written);
    snapshot.names = PodSnapshot::Names::written;
    co_return std::nullopt;
  }
  if (runtime::is_object_gone(written.error())) co_return Retry::never;
  snapshot.names_failure = written.error();
  co_return std::nullopt;
}

Task<PodSync::End> PodSync::carry_out(PodSnapshot& snapshot, const Reserve& step, Attempt attempt) {
  const api::NamespacedName key = step.claim->meta.key;
  auto turn = reservations_.begin(key, {snapshot.pod->meta.key, attempt.priority});
  if (!turn) {
    snapshot.busy.insert(key.name);
    co_return std::nullopt;
  }
  const Result<ClaimPtr> reserved = co_await reserve(step, attempt);
  if (reserved) {
    turn->succeeded();
    snapshot.claims.insert_or_assign(key.name, *reserved);
  } else {
    snapshot.reserve_failures.emplace(key.name, reserved.error());
  }
  co_return std::nullopt;
}

Task<Result<ClaimPtr>> PodSync::reserve(const Reserve& step, Attempt attempt) {
  const Result<ClaimPtr> reserved =
      co_await api_.reserve(step.claim, step.consumer, attempt.priority);
  if (!reserved) co_return reserved;
  if (log_.v(2)) {
    log_.info("Claim reserved",
              {{"claim", step.claim->meta.key.str()}, {"pod", step.consumer.name}});
  }
  stores_.own_claims.record(*reserved);
  const auto is_there = [&](const api::ConsumerReference& consumer) {
    return consumer.uid == step.consumer.uid;
  };
  // An admission webhook may have undone it: not again in this round.
  if (std::ranges::none_of((*reserved)->reserved_for, is_there)) {
    co_return runtime::fail(runtime::Reason::conflict, "the reservation did not last");
  }
  co_return reserved;
}

PodSnapshot::EarlierCreates PodSync::earlier_creates(const api::Pod& pod) const {
  const bool is_unknown = unknown_creates_.contains(pod.meta.key) ||
                          predecessor_.may_have_left(pod.meta.key.namespace_);
  return is_unknown ? PodSnapshot::EarlierCreates::outcome_unknown
                    : PodSnapshot::EarlierCreates::outcome_known;
}

// For a pod that gets no claims any more, nothing needs to be known.
void PodSync::forget_finished_creates(const api::NamespacedName& key, const PodPtr& pod) {
  const auto unknown = unknown_creates_.find(key);
  if (unknown == unknown_creates_.end()) return;
  const bool is_that_pod = pod != nullptr && pod->meta.uid == unknown->second;
  if (!is_that_pod || !common::may_get_claims(*pod)) unknown_creates_.erase(unknown);
}

// The pod may have changed while a step waited. False: it is gone, or another one has its name.
bool PodSync::refresh(PodSnapshot& snapshot) const {
  PodPtr newest = stores_.pods.get(snapshot.pod->meta.key);
  if (newest == nullptr || newest->meta.uid != snapshot.pod->meta.uid) return false;
  snapshot.pod = std::move(newest);
  return true;
}

void PodSync::note_created(const CreateClaim& step, const Result<ClaimPtr>& created,
                           const api::Pod& pod) {
  const AdminAccess admin =
      step.claim_template->uses_admin_access ? AdminAccess::yes : AdminAccess::no;
  if (created) {
    metrics_.count(CreateMetrics::Status::success, admin);
    stores_.own_claims.record(*created);
    if (log_.v(2)) {
      log_.info("Claim created",
                {{"pod", pod.meta.key.str()}, {"claim", (*created)->meta.key.name}});
    }
    return;
  }
  if (was_sent(created.error())) metrics_.count(CreateMetrics::Status::failure, admin);
  if (runtime::is_outcome_unknown(created.error())) {
    unknown_creates_.insert_or_assign(pod.meta.key, pod.meta.uid);
  }
}

void PodSync::report(const api::Pod& pod, const PodProblem& problem, Attempt attempt) const {
  using Report = PodProblem::Report;
  if (problem.retry != Retry::never) {
    problems_.note({Item::Kind::pod, pod.meta.key}, problem.message);
  }
  const bool is_event = problem.report == Report::failed_creation_event ||
                        problem.report == Report::failed_reservation_event;
  if (is_event) {
    events_.report(
        reference_to(pod), api::EventType::warning, kComponent,
        problem.report == Report::failed_creation_event ? kFailedCreation : kFailedReservation,
        problem.message);
  }
  const bool is_line = problem.report == Report::log && attempt.is_worth_a_line();
  if (!is_line && !log_.v(is_event ? 2 : 4)) return;
  log_.warning("Something could not be done for a pod",
               {{"pod", pod.meta.key.str()}, {"why", problem.message}});
}

}  // namespace dcm::resource_claim
