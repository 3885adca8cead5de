#include "controllers/resource_claim/sync/sync_pod.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/describe.hpp"
#include "controllers/resource_claim/stores.hpp"

namespace dcm::resource_claim {
namespace {

Item item_of(const api::Pod& pod) {
  return {Item::Kind::pod, pod.meta.key};
}

ClaimUserItem owner_of(const api::Pod& pod) {
  return {item_of(pod),
          pod.created,
          pod.claim_statuses.empty(),
          {"v1", "Pod", pod.meta.key, pod.meta.uid, pod.meta.resource_version.str()}};
}

}  // namespace

PodSync::PodSync(Stores stores, ClaimApi& api, ClaimGenerator& generator,
                 common::FeatureGates gates, OneAtATime<api::NamespacedName>::Wake wake,
                 runtime::Logger log)
    : stores_(std::move(stores)),
      api_(api),
      generator_(generator),
      gates_(gates),
      log_(std::move(log)),
      reservations_(std::move(wake)) {}

Task<Outcome> PodSync::sync(api::NamespacedName key, Attempt attempt) {
  const PodPtr pod = stores_.pods.get(key);
  if (pod == nullptr) co_return Outcome::done();
  const Outcome outcome = co_await run_round(*this, snapshot_of(pod), attempt);
  co_return outcome;
}

PodSnapshot PodSync::snapshot_of(const PodPtr& pod) const {
  return make_pod_snapshot(stores_, pod);
}

// The pod may have changed while a step waited. False: it is gone, or another one has its name.
bool PodSync::refresh(PodSnapshot& snapshot) const {
  PodPtr newest = stores_.pods.get(snapshot.pod->meta.key);
  if (newest == nullptr || newest->meta.uid != snapshot.pod->meta.uid) return false;
  snapshot.pod = std::move(newest);
  return true;
}

PodStep PodSync::decide(const PodSnapshot& snapshot) const {
  PodStep step = decide_pod(snapshot, gates_);
  if (log_.v(4)) {
    log_.info("Decided", {{"pod", snapshot.pod->meta.key.str()}, {"step", describe(step)}});
  }
  return step;
}

Task<RoundEnd> PodSync::carry_out(PodSnapshot& snapshot, const EndRound& step,
                                  Attempt /*attempt*/) {
  const Outcome wanted = generator_.report(owner_of(*snapshot.pod), step.problems);
  co_return std::min(snapshot.busy.empty() ? Outcome::done() : Outcome::set_aside(), wanted);
}

Task<RoundEnd> PodSync::carry_out(PodSnapshot& snapshot, const GetClaim& step, Attempt attempt) {
  return generator_.carry_out(snapshot, owner_of(*snapshot.pod), step, attempt);
}

Task<RoundEnd> PodSync::carry_out(PodSnapshot& snapshot, const CreateClaim& step, Attempt attempt) {
  return generator_.carry_out(snapshot, owner_of(*snapshot.pod), step, attempt);
}

Task<RoundEnd> PodSync::carry_out(PodSnapshot& snapshot, const WriteNames& step, Attempt attempt) {
  generator_.expect_names(*snapshot.pod, step);
  const ApplyNames<api::Pod> names{snapshot.pod, step.names};
  const Result<PodPtr> written = co_await api_.send(names, attempt.priority);
  co_return generator_.note_names(snapshot, owner_of(*snapshot.pod), step, written,
                                  stores_.own_pods);
}

Task<RoundEnd> PodSync::carry_out(PodSnapshot& snapshot, const Reserve& step, Attempt attempt) {
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

Task<Result<ClaimPtr>> PodSync::reserve(const Reserve& step, Attempt attempt) {
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

GroupSync::GroupSync(Stores stores, ClaimApi& api, ClaimGenerator& generator,
                     common::FeatureGates gates, runtime::Logger log)
    : stores_(std::move(stores)),
      api_(api),
      generator_(generator),
      gates_(gates),
      log_(std::move(log)) {}

Task<Outcome> GroupSync::sync(api::NamespacedName key, Attempt attempt) {
  const GroupPtr group = stores_.groups->groups.get(key);
  if (group == nullptr) co_return Outcome::done();
  const Outcome outcome = co_await run_round(*this, snapshot_of(group), attempt);
  co_return outcome;
}

GroupSnapshot GroupSync::snapshot_of(const GroupPtr& group) const {
  GroupSnapshot snapshot = make_group_snapshot(stores_, group);
  snapshot.api_version = api_version_;
  return snapshot;
}

// The group may have changed while a step waited. False: it is gone, or another one has its name.
bool GroupSync::refresh(GroupSnapshot& snapshot) const {
  GroupPtr newest = stores_.groups->groups.get(snapshot.group->meta.key);
  if (newest == nullptr || newest->meta.uid != snapshot.group->meta.uid) return false;
  snapshot.group = std::move(newest);
  return true;
}

GroupStep GroupSync::decide(const GroupSnapshot& snapshot) const {
  GroupStep step = decide_group(snapshot, gates_);
  if (log_.v(4)) {
    log_.info("Decided", {{"podGroup", snapshot.group->meta.key.str()}, {"step", describe(step)}});
  }
  return step;
}

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const EndRound& step,
                                    Attempt /*attempt*/) {
  co_return generator_.report(owner_of(*snapshot.group), step.problems);
}

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const GetClaim& step,
                                    Attempt attempt) {
  return generator_.carry_out(snapshot, owner_of(*snapshot.group), step, attempt);
}

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const CreateClaim& step,
                                    Attempt attempt) {
  return generator_.carry_out(snapshot, owner_of(*snapshot.group), step, attempt);
}

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const WriteNames& step,
                                    Attempt attempt) {
  const ApplyNames<api::PodGroup> names{snapshot.group, step.names};
  const Result<GroupPtr> written = co_await api_.send(names, attempt.priority);
  co_return generator_.note_names(snapshot, owner_of(*snapshot.group), step, written,
                                  stores_.groups->own_groups);
}

ClaimUserItem GroupSync::owner_of(const api::PodGroup& group) const {
  const api::ObjectMeta& meta = group.meta;
  return {{Item::Kind::group, meta.key},
          group.created,
          group.claim_statuses.empty(),
          {api_version_, "PodGroup", meta.key, meta.uid, meta.resource_version.str()}};
}

}  // namespace dcm::resource_claim
