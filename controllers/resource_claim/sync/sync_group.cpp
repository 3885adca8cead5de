#include "controllers/resource_claim/sync/sync_group.hpp"

#include "controllers/resource_claim/explain/describe.hpp"
#include "controllers/resource_claim/sync/snapshots.hpp"

namespace dcm::resource_claim {
namespace {

Item item_of(const api::PodGroup& group) {
  return {Item::Kind::group, group.meta.key};
}

}  // namespace

GroupSync::GroupSync(Stores stores, ClaimApi& api, GenerationSync& generation,
                     ProblemReports reports, common::FeatureGates gates, runtime::Logger log)
    : stores_(std::move(stores)),
      api_(api),
      generation_(generation),
      reports_(std::move(reports)),
      gates_(gates),
      log_(std::move(log)) {}

Task<Retry> GroupSync::sync(api::NamespacedName key, Attempt attempt) {
  const GroupPtr group = stores_.groups->groups.get(key);
  if (group == nullptr) co_return Retry::never;
  GroupSnapshot snapshot = snapshot_of(group);
  while (refresh(snapshot)) {
    const GroupStep step = decide_group(snapshot, gates_);
    if (log_.v(4)) log_.info("Decided", {{"podGroup", key.str()}, {"step", describe(step)}});
    auto carried_out =
        std::visit([&](const auto& what) { return carry_out(snapshot, what, attempt); }, step);
    const End end = co_await std::move(carried_out);
    if (end) co_return *end;
  }
  co_return Retry::never;
}

GroupSnapshot GroupSync::snapshot_of(const GroupPtr& group) const {
  GroupSnapshot snapshot = make_group_snapshot(stores_, group);
  snapshot.api_version = api_version_;
  return snapshot;
}

template <class Step>
Task<GroupSync::End> GroupSync::carry_out(GroupSnapshot& snapshot, const Step& step,
                                          Attempt attempt) {
  const api::PodGroup& group = *snapshot.group;
  return generation_.carry_out(snapshot, {item_of(group), group.meta.uid}, step, attempt);
}

Task<GroupSync::End> GroupSync::carry_out(GroupSnapshot& snapshot, const Finished& step,
                                          Attempt attempt) {
  const api::PodGroup& group = *snapshot.group;
  co_return reports_.report(item_of(group), reference_to(group), step.problems, attempt);
}

Task<GroupSync::End> GroupSync::carry_out(GroupSnapshot& snapshot, const WriteNames& step,
                                          Attempt attempt) {
  const Result<GroupPtr> written =
      co_await api_.write_group_names(snapshot.group, step.names, attempt.priority);
  if (written) {
    if (log_.v(2)) {
      log_.info("Claim names written", {{"podGroup", snapshot.group->meta.key.str()},
                                        {"step", describe(GroupStep(step))}});
    }
    stores_.groups->own_groups.record(*written);
    snapshot.names = Generation::Names::written;
    co_return std::nullopt;
  }
  if (runtime::is_object_gone(written.error())) co_return Retry::never;
  snapshot.names_failure = written.error();
  co_return std::nullopt;
}

// The group may have changed while a step waited. False: it is gone, or another one has its name.
bool GroupSync::refresh(GroupSnapshot& snapshot) const {
  GroupPtr newest = stores_.groups->groups.get(snapshot.group->meta.key);
  if (newest == nullptr || newest->meta.uid != snapshot.group->meta.uid) return false;
  snapshot.group = std::move(newest);
  return true;
}

api::ObjectReference GroupSync::reference_to(const api::PodGroup& group) const {
  return {api_version_, "PodGroup", group.meta.key, group.meta.uid,
          group.meta.resource_version.str()};
}

}  // namespace dcm::resource_claim
