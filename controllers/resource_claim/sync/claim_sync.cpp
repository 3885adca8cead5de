#include "controllers/resource_claim/sync/claim_sync.hpp"

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "controllers/resource_claim/explain/describe.hpp"
#include "controllers/resource_claim/stores.hpp"

namespace dcm::resource_claim {
namespace {

// About as many claims as are deleted before the watch shows it; a forgotten UID costs a request.
constexpr std::size_t kDeletedMax = 1'024;
// By then the watch has shown a deletion.
constexpr runtime::Duration kWatchLag = std::chrono::minutes(1);

template <class Ptr>
ConsumerAnswer answer_of(const Result<Ptr>& answer) {
  if (answer) return consumer_of(**answer);
  if (runtime::is_not_found(answer.error())) return Gone{};
  return answer.error();
}

}  // namespace

ClaimSync::ClaimSync(Stores stores, const UidMemory& deleted_consumers, ClaimApi& api,
                     ItemProblems& problems, const runtime::TimeSource& time,
                     common::FeatureGates gates, runtime::Logger log)
    : stores_(std::move(stores)),
      deleted_consumers_(deleted_consumers),
      api_(api),
      problems_(problems),
      time_(time),
      gates_(gates),
      log_(std::move(log)) {}

Task<Outcome> ClaimSync::sync(api::NamespacedName key, Priority priority) {
  const ClaimPtr claim = stores_.claims.get(key);
  if (claim == nullptr) co_return Outcome::done();
  // The claim was deleted, but the watch has not shown that yet; or a restore of etcd has brought
  // the claim back.
  if (!claim->meta.is_being_deleted) {
    if (const auto left = left_for_watch(claim->meta.uid)) co_return Outcome::requeue_after(*left);
  }
  co_return co_await run_round(
      *this, make_claim_snapshot(stores_, deleted_consumers_, gates_, claim), priority);
}

std::optional<runtime::Duration> ClaimSync::left_for_watch(const api::Uid& claim) {
  const runtime::MonoTime* const deleted = deleted_.use(claim.str());
  const runtime::MonoTime now = time_.now();
  if (deleted == nullptr || now - *deleted >= kWatchLag) return std::nullopt;
  return *deleted + kWatchLag - now;
}

void ClaimSync::note_deleted(const api::Uid& claim) {
  deleted_.erase(claim.str());
  if (deleted_.size() >= kDeletedMax) deleted_.erase_oldest([](runtime::MonoTime) { return true; });
  deleted_.insert(claim.str(), time_.now());
}

ClaimStep ClaimSync::decide(const ClaimSnapshot& snapshot) const {
  ClaimStep step = decide_claim(snapshot);
  if (log_.v(4)) {
    log_.info("Decided", {{"claim", snapshot.claim->meta.key.str()}, {"step", describe(step)}});
  }
  return step;
}

Task<RoundEnd> ClaimSync::carry_out(ClaimSnapshot& snapshot, const EndClaimRound& step,
                                    Priority /*priority*/) {
  if (step.failure) log_failure(step.failure->what, snapshot.claim, step.failure->error);
  co_return step.outcome;
}

Task<RoundEnd> ClaimSync::carry_out(ClaimSnapshot& snapshot, const GetConsumer& step,
                                    Priority priority) {
  const auto& [kind, name] = step.consumer;
  const api::ObjectMeta& claim = snapshot.claim->meta;
  ConsumerAnswer answer = co_await look_up(kind, {claim.key.namespace_, name}, priority);
  // A claim may have 256 consumers to ask for, and be deleted meanwhile.
  const ClaimPtr current = stores_.claims.get(claim.key);
  if (current == nullptr || current->meta.uid != claim.uid) co_return Outcome::done();
  snapshot.answers.emplace(step.consumer, std::move(answer));
  co_return std::nullopt;
}

Task<ConsumerAnswer> ClaimSync::look_up(ConsumerName::Kind kind, api::NamespacedName key,
                                        Priority priority) {
  if (kind == ConsumerName::Kind::group) {
    const Get<api::PodGroup> get{std::move(key)};
    const Result<GroupPtr> group = co_await api_.send(get, priority);
    co_return answer_of(group);
  }
  const Get<api::Pod> get{std::move(key)};
  const Result<PodPtr> pod = co_await api_.send(get, priority);
  co_return answer_of(pod);
}

Task<RoundEnd> ClaimSync::carry_out(ClaimSnapshot& snapshot, const Release& step,
                                    Priority priority) {
  const Result<ClaimPtr> released = co_await api_.send(step, priority);
  if (!released) {
    log_failure("release", snapshot.claim, released.error());
    co_return outcome_after_write(released.error());
  }
  log_write(step.allocation == api::Allocation::clear ? "Claim released and deallocated"
                                                      : "Claim released",
            snapshot.claim);
  stores_.own_claims.record(*released);
  snapshot.claim = *released;
  snapshot.progress = ClaimSnapshot::Progress::released;
  co_return std::nullopt;
}

Task<RoundEnd> ClaimSync::carry_out(ClaimSnapshot& snapshot, const RemoveFinalizer& step,
                                    Priority priority) {
  const Result<ClaimPtr> freed = co_await api_.send(step, priority);
  if (!freed) {
    log_failure("remove the finalizer of", snapshot.claim, freed.error());
    co_return outcome_after_write(freed.error());
  }
  log_write("Finalizer removed", snapshot.claim);
  // A claim in deletion may be gone by now.
  if ((*freed)->meta.is_being_deleted) co_return Outcome::done();
  stores_.own_claims.record(*freed);
  snapshot.claim = *freed;
  snapshot.progress = ClaimSnapshot::Progress::unprotected;
  co_return std::nullopt;
}

Task<RoundEnd> ClaimSync::carry_out(ClaimSnapshot& snapshot, const DeleteClaim& step,
                                    Priority priority) {
  const Result<> deleted = co_await api_.send(step, priority);
  if (deleted || runtime::is_object_gone(deleted.error())) note_deleted(snapshot.claim->meta.uid);
  if (deleted) {
    log_write("Claim deleted", snapshot.claim);
    co_return Outcome::done();
  }
  log_failure("delete", snapshot.claim, deleted.error(), Conflicts::faults);
  co_return outcome_after_write(deleted.error());
}

void ClaimSync::log_failure(std::string_view what, const ClaimPtr& claim,
                            const runtime::Error& error, Conflicts conflicts) const {
  if (!runtime::is_object_gone(error)) {
    problems_.note({Item::Kind::claim, claim->meta.key},
                   fmt::format("could not {} it: {}", what, error.message));
  }
  const bool is_loud =
      is_fault(error) || (conflicts == Conflicts::faults && runtime::is_conflict(error));
  if (is_loud || log_.v(4)) {
    log_.warning(
        "A write or look-up for a claim failed",
        {{"operation", what}, {"claim", claim->meta.key.str()}, {"error", to_string(error)}});
  }
}

void ClaimSync::log_write(std::string_view what, const ClaimPtr& claim) const {
  if (log_.v(2)) log_.info(what, {{"claim", claim->meta.key.str()}});
}

}  // namespace dcm::resource_claim
