#include "controllers/resource_claim/sync/claim_user_sync.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/describe.hpp"
#include "controllers/resource_claim/stores.hpp"

namespace dcm::resource_claim {
namespace {

PodPtr& user_of(PodSnapshot& snapshot) {
  return snapshot.pod;
}
GroupPtr& user_of(GroupSnapshot& snapshot) {
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

Item item_of(const api::Pod& pod) {
  return {Item::Kind::pod, pod.meta.key};
}

ClaimUserItem make_item(Item::Kind kind, const api::ClaimUser& user, std::string api_version,
                        std::string kind_name) {
  const api::ObjectMeta& meta = user.meta;
  return {{kind, meta.key},
          user.created,
          user.claim_statuses.empty(),
          {std::move(api_version), std::move(kind_name), meta.key, meta.uid,
           meta.resource_version.str()}};
}

}  // namespace

ClaimUserSync::ClaimUserSync(Stores stores, ClaimApi& api, ClaimGenerator& generator,
                             common::FeatureGates gates, OneAtATime<api::NamespacedName>::Wake wake,
                             runtime::Logger log)
    : stores_(std::move(stores)),
      api_(api),
      generator_(generator),
      gates_(gates),
      log_(std::move(log)),
      reservations_(std::move(wake)) {}

Task<Outcome> ClaimUserSync::sync_pod(api::NamespacedName key, Attempt attempt) {
  const PodPtr pod = stores_.pods.get(key);
  if (pod == nullptr) co_return Outcome::done();
  const Outcome outcome = co_await run_round(*this, snapshot_of(pod), attempt);
  co_return outcome;
}

Task<Outcome> ClaimUserSync::sync_group(api::NamespacedName key, Attempt attempt) {
  const GroupPtr group = stores_.groups->groups.get(key);
  if (group == nullptr) co_return Outcome::done();
  const Outcome outcome = co_await run_round(*this, snapshot_of(group), attempt);
  co_return outcome;
}

PodSnapshot ClaimUserSync::snapshot_of(const PodPtr& pod) const {
  return make_pod_snapshot(stores_, pod);
}

GroupSnapshot ClaimUserSync::snapshot_of(const GroupPtr& group) const {
  GroupSnapshot snapshot = make_group_snapshot(stores_, group);
  snapshot.api_version = group_version_;
  return snapshot;
}

// The object may have changed while a step waited. False: it is gone, or another one has its name.
template <class Snapshot>
bool ClaimUserSync::refresh(Snapshot& snapshot) const {
  auto& user = user_of(snapshot);
  auto newest = store_of(snapshot, stores_).get(user->meta.key);
  if (newest == nullptr || newest->meta.uid != user->meta.uid) return false;
  user = std::move(newest);
  return true;
}

PodStep ClaimUserSync::decide(const PodSnapshot& snapshot) const {
  PodStep step = decide_pod(snapshot, gates_);
  if (log_.v(4)) {
    log_.info("Decided", {{"pod", snapshot.pod->meta.key.str()}, {"step", describe(step)}});
  }
  return step;
}

GroupStep ClaimUserSync::decide(const GroupSnapshot& snapshot) const {
  GroupStep step = decide_group(snapshot, gates_);
  if (log_.v(4)) {
    log_.info("Decided", {{"podGroup", snapshot.group->meta.key.str()}, {"step", describe(step)}});
  }
  return step;
}

template <class Snapshot>
Task<RoundEnd> ClaimUserSync::carry_out(Snapshot& snapshot, const EndRound& step,
                                        Attempt /*attempt*/) {
  const Outcome wanted = generator_.report(owner_of(snapshot), step.problems);
  co_return std::min(outcome_before(snapshot), wanted);
}

template <class Snapshot>
Task<RoundEnd> ClaimUserSync::carry_out(Snapshot& snapshot, const GetClaim& step, Attempt attempt) {
  return generator_.carry_out(snapshot, owner_of(snapshot), step, attempt);
}

template <class Snapshot>
Task<RoundEnd> ClaimUserSync::carry_out(Snapshot& snapshot, const CreateClaim& step,
                                        Attempt attempt) {
  return generator_.carry_out(snapshot, owner_of(snapshot), step, attempt);
}

Task<RoundEnd> ClaimUserSync::carry_out(PodSnapshot& snapshot, const WriteNames& step,
                                        Attempt attempt) {
  generator_.expect_names(*snapshot.pod, step);
  const ApplyNames<api::Pod> names{snapshot.pod, step.names};
  const Result<PodPtr> written = co_await api_.send(names, attempt.priority);
  co_return generator_.note_names(snapshot, owner_of(snapshot), step, written, stores_.own_pods);
}

Task<RoundEnd> ClaimUserSync::carry_out(GroupSnapshot& snapshot, const WriteNames& step,
                                        Attempt attempt) {
  const ApplyNames<api::PodGroup> names{snapshot.group, step.names};
  const Result<GroupPtr> written = co_await api_.send(names, attempt.priority);
  co_return generator_.note_names(snapshot, owner_of(snapshot), step, written,
                                  stores_.groups->own_groups);
}

Task<RoundEnd> ClaimUserSync::carry_out(PodSnapshot& snapshot, const Reserve& step,
                                        Attempt attempt) {
  const api::NamespacedName key = step.claim->meta.key;
  auto turn = reservations_.begin(key, {item_of(*snapshot.pod), attempt.priority});
  if (!turn) {
    snapshot.busy.insert(key.name);
    co_return std::nullopt;
  }
  snapshot.reserved_up_to = step.position;
  const Result<ClaimPtr> reserved = co_await reserve(step, attempt);
  if (reserved) {
    turn->succeeded();
    snapshot.claims.insert_or_assign(key.name, *reserved);
  } else {
    snapshot.reserve_failures.emplace(key.name, reserved.error());
  }
  co_return std::nullopt;
}

Task<Result<ClaimPtr>> ClaimUserSync::reserve(const Reserve& step, Attempt attempt) {
  const Result<ClaimPtr> reserved = co_await api_.send(step, attempt.priority);
  if (!reserved) co_return reserved;
  if (log_.v(2)) {
    log_.info("Claim reserved", {{"claim", step.claim->meta.key.str()},
                                 {"resource", step.consumer.resource.str()},
                                 {"name", step.consumer.name}});
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

ClaimUserItem ClaimUserSync::owner_of(const PodSnapshot& snapshot) const {
  return make_item(Item::Kind::pod, *snapshot.pod, "v1", "Pod");
}

ClaimUserItem ClaimUserSync::owner_of(const GroupSnapshot& snapshot) const {
  return make_item(Item::Kind::group, *snapshot.group, group_version_, "PodGroup");
}

}  // namespace dcm::resource_claim
