#include "controllers/resource_claim/sync/sync_group.hpp"

#include "controllers/resource_claim/explain/describe.hpp"
#include "controllers/resource_claim/sync/snapshots.hpp"

namespace dcm::resource_claim {

GroupSync::GroupSync(Stores stores, ClaimApi& api, GenerationSync& generation,
                     common::FeatureGates gates, runtime::Logger log)
    : stores_(std::move(stores)),
      api_(api),
      generation_(generation),
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

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const Finished& step,
                                    Attempt attempt) {
  co_return generation_.report(owner_of(*snapshot.group), step.problems, attempt);
}

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const GetClaim& step,
                                    Attempt attempt) {
  return generation_.carry_out(snapshot, owner_of(*snapshot.group), step, attempt);
}

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const CreateClaim& step,
                                    Attempt attempt) {
  return generation_.carry_out(snapshot, owner_of(*snapshot.group), step, attempt);
}

Task<RoundEnd> GroupSync::carry_out(GroupSnapshot& snapshot, const WriteNames& step,
                                    Attempt attempt) {
  const ApplyNames<api::PodGroup> names{snapshot.group, step.names};
  const Result<GroupPtr> written = co_await api_.send(names, attempt.priority);
  co_return generation_.note_names(snapshot, owner_of(*snapshot.group).item, step, written,
                                   stores_.groups->own_groups);
}

GenerationOwner GroupSync::owner_of(const api::PodGroup& group) const {
  const api::ObjectMeta& meta = group.meta;
  return {{Item::Kind::group, meta.key},
          {api_version_, "PodGroup", meta.key, meta.uid, meta.resource_version.str()}};
}

}  // namespace dcm::resource_claim
