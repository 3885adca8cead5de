// The invariants of safety.hpp about pod groups and the claims that their pods share (KEP-5729).
#include <algorithm>

#include <fmt/format.h>

#include "test/simulation/decode.hpp"
#include "test/simulation/safety.hpp"

namespace dcm::simulation {

using apiserver::Change;
using runtime::MonoTime;

// A group in deletion exists, but gets nothing any longer.
void Safety::check_new_claim_of_group(const Claim& claim) {
  const auto life = group_lives_.find(claim.owner);
  if (life == group_lives_.end() || life->second.key != claim.ns + "/" + claim.owner_if_group) {
    return report("a claim is made for a group of its namespace", claim.key());
  }
  const MonoTime deleted = life->second.deleted_since;
  if (deleted != MonoTime::max() && !is_recent(deleted)) {
    report("a deleted group never gets a claim", claim.key());
  }
  const auto is_entry = [&](const PodClaim& entry) {
    return entry.name == claim.pod_claim && !entry.template_name.empty();
  };
  if (std::ranges::none_of(life->second.claims, is_entry)) {
    report("a claim is made for an entry of its group", claim.key());
  }
}

// The claim of a pod that may be in a group: a shared claim is not created for one pod, and only
// the group determines what is shared.
void Safety::check_new_claim_of_member(const Claim& claim) {
  const Pod* pod = cluster_.find_pod(claim.owner);
  if (pod == nullptr || pod->group.empty()) return;
  const auto pod_claim = std::ranges::find(pod->claims, claim.pod_claim, &PodClaim::name);
  if (pod_claim == pod->claims.end()) return;
  const Group* group = cluster_.sharing_group(*pod, *pod_claim);
  if (group != nullptr && !is_recent(group_lives_.at(group->uid).began)) {
    report("no pod gets a claim of its own for what is its group's", claim.key());
  }
  const bool may_know_group = std::ranges::any_of(group_lives_, [&](const auto& entry) {
    const GroupLife& life = entry.second;
    return life.key == pod->ns + "/" + pod->group &&
           (life.gone_since == MonoTime::max() || is_recent(life.gone_since));
  });
  if (!may_know_group) report("a pod whose group is not there waits for it", claim.key());
}

// It comes from the round of a pod whose node was assigned by somebody else.
void Safety::check_new_reservation_of_group(const Claim& before, const Consumer& consumer) {
  const std::string key = before.ns + "/" + consumer.name;
  const auto life = group_lives_.find(consumer.uid);
  if (life == group_lives_.end() || life->second.key != key) {
    return report("a claim is reserved for a group that there was", before.key());
  }
  if (!life->second.named.contains(before.name)) {
    report("a claim is reserved only for a pod or group that names it",
           fmt::format("{} for group {}", before.key(), consumer.name));
  }
  const MonoTime gone = life->second.gone_since;
  if (gone != MonoTime::max() && !is_recent(gone)) {
    report("no claim is reserved for a group that is gone", before.key());
  }
  if (!before.owner_if_group.empty() && before.owner != consumer.uid) {
    report("what a group owns is reserved for no other one", before.key());
  }
  const auto members = cluster_.pods_of_group(before.ns, consumer.name);
  const auto seen = bound_members_.find(key);
  const bool was_bound = seen != bound_members_.end() && is_recent(seen->second);
  if (!was_bound && std::ranges::all_of(members, [](auto* pod) { return pod->node.empty(); })) {
    report("a claim is reserved only for a group one of whose pods has a node", before.key());
  }
}

// A shared claim is used by its group.
void Safety::check_new_reservation_of_member(const Claim& before, const Pod& pod) {
  const auto is_shared = [&](const PodClaim& pod_claim) {
    const Group* group = cluster_.sharing_group(pod, pod_claim);
    return group != nullptr && !is_recent(group_lives_.at(group->uid).began);
  };
  const auto uses = [&](const PodClaim& pod_claim) {
    const Claim* claim = cluster_.usable_claim(pod, pod_claim);
    return claim != nullptr && claim->uid == before.uid;
  };
  const auto has_own_use = [&](const PodClaim& pod_claim) {
    return uses(pod_claim) && !is_shared(pod_claim);
  };
  if (std::ranges::any_of(pod.claims, uses) && std::ranges::none_of(pod.claims, has_own_use)) {
    report("what a group shares is reserved for the group", before.key());
  }
}

bool Safety::may_name(const Pod& pod, const std::string& pod_claim,
                      const std::string& claim) const {
  const auto owner = owners_.find(pod.ns + "/" + claim);
  if (owner == owners_.end()) return false;
  if (owner->second.uid == pod.uid) return true;
  if (owner->second.group.empty() || owner->second.group != pod.group) return false;
  const auto life = group_lives_.find(owner->second.uid);
  const auto wanted = std::ranges::find(pod.claims, pod_claim, &PodClaim::name);
  return life != group_lives_.end() && wanted != pod.claims.end() &&
         std::ranges::find(life->second.claims, *wanted) != life->second.claims.end();
}

void Safety::check_names_of_group(const Group& before, const Group& after) {
  for (const auto& [entry, name] : after.made) {
    const auto old = before.made.find(entry);
    if (old != before.made.end() && old->second == name) continue;
    const auto owner = owners_.find(after.ns + "/" + name);
    if (owner != owners_.end() && owner->second.uid == after.uid) continue;
    report("a group's status names claims of its own", fmt::format("{} {}", after.key(), name));
  }
}

void Safety::remember_group(const Change& change) {
  const bool is_gone = change.after == nullptr;
  const Group group = is_gone ? decode_group(*change.before) : cluster_.groups.at(change.key);
  const auto [found, is_new] = group_lives_.try_emplace(group.uid);
  GroupLife& life = found->second;
  if (is_new) life = {group.key(), group.claims, {}, time_.now()};
  for (const PodClaim& entry : group.claims) {
    const auto made = group.made.find(entry.name);
    life.named.insert(made == group.made.end() ? entry.claim : made->second);
  }
  const bool is_deleted = is_gone || group.is_being_deleted;
  if (is_deleted && life.deleted_since == MonoTime::max()) life.deleted_since = time_.now();
  if (is_gone) life.gone_since = time_.now();
}

void Safety::remember_member(const Pod& pod) {
  if (!pod.group.empty() && !pod.node.empty()) {
    bound_members_[pod.ns + "/" + pod.group] = time_.now();
  }
}

}  // namespace dcm::simulation
