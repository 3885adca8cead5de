#include "test/simulation/fixed_point.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

using Breaches = std::vector<Missing>;

constexpr const char* kDuePods = "every due pod is deleted";
// The API's limit: further pods wait, with an event.
constexpr std::size_t kReservationsMax = 256;
constexpr const char* kConditions = "a rule's condition says how far it is";

// Nothing can be created from a missing template.
bool can_be_made(const Cluster& cluster, const std::string& ns, const PodClaim& pod_claim) {
  return cluster.templates.contains(ns + "/" + pod_claim.template_name);
}

// One round creates all claims of an owner: if it fails for one, its back-off applies to all.
bool lacks_template(const Cluster& cluster, const auto& owner) {
  return std::ranges::any_of(owner.claims, [&](const PodClaim& claim) {
    return !claim.template_name.empty() && !can_be_made(cluster, owner.ns, claim);
  });
}

// Only the group determines which claims are its own.
bool waits_for_group(const Cluster& cluster, const Pod& pod) {
  return !pod.group.empty() && cluster.group_of(pod) == nullptr;
}

void check_count(const Safety& world, const auto& owner, const PodClaim& pod_claim,
                 Breaches& missing) {
  const auto count = std::ranges::count_if(world.cluster().claims, [&](const auto& entry) {
    return entry.second.owner == owner.uid && entry.second.pod_claim == pod_claim.name;
  });
  if (count <= 1) return;
  missing.push_back(
      {"one claim per pod claim", fmt::format("{} {} has {}", owner.key(), pod_claim.name, count)});
}

// The claim that the group's status names, if it exists and is the group's.
const Claim* claim_of_group(const Cluster& cluster, const Group& group, const PodClaim& entry) {
  const auto named = group.made.find(entry.name);
  if (named == group.made.end()) return nullptr;
  const Claim* claim = cluster.claim(group.ns + "/" + named->second);
  return claim != nullptr && claim->owner == group.uid ? claim : nullptr;
}

void check_group(const Safety& world, const Group& group, Breaches& missing) {
  const Cluster& cluster = world.cluster();
  for (const PodClaim& entry : group.claims) {
    if (entry.template_name.empty()) continue;
    check_count(world, group, entry, missing);
    if (group.is_being_deleted) continue;
    if (claim_of_group(cluster, group, entry) != nullptr) continue;
    missing.push_back({"each claim of a group is there",
                       fmt::format("{} {}", group.key(), entry.name),
                       lacks_template(cluster, group)});
  }
}

// The pod may also have its own claim, created before a group that shares it existed.
void check_shared_claim(const Safety& world, const Group& group, const Pod& pod,
                        const PodClaim& pod_claim, Breaches& missing) {
  const Claim* claim = world.cluster().usable_claim(pod, pod_claim);
  const Claim* shared = claim_of_group(world.cluster(), group, pod_claim);
  if (shared == nullptr || claim == shared) return;
  const bool may_be_another = claim != nullptr && claim->owner == pod.uid;
  if (may_be_another) return;
  missing.push_back({"a pod's status names the claim of its group",
                     fmt::format("{} {}", pod.key(), pod_claim.name),
                     lacks_template(world.cluster(), pod)});
}

void check_pod_claims(const Safety& world, const Pod& pod, Breaches& missing) {
  const Cluster& cluster = world.cluster();
  for (const PodClaim& pod_claim : pod.claims) {
    if (pod_claim.template_name.empty()) continue;
    check_count(world, pod, pod_claim, missing);
    if (const Group* group = cluster.sharing_group(pod, pod_claim)) {
      check_shared_claim(world, *group, pod, pod_claim, missing);
      continue;
    }
    if (waits_for_group(cluster, pod)) continue;
    if (cluster.usable_claim(pod, pod_claim) != nullptr) continue;
    missing.push_back({"each pod claim has its claim",
                       fmt::format("{} {}", pod.key(), pod_claim.name),
                       lacks_template(cluster, pod)});
  }
}

void check_reservations(const Cluster& cluster, const Pod& pod, Breaches& missing) {
  if (pod.node.empty() || waits_for_group(cluster, pod)) return;
  for (const PodClaim& pod_claim : pod.claims) {
    const Claim* claim = cluster.usable_claim(pod, pod_claim);
    if (claim == nullptr || !claim->is_allocated || claim->is_being_deleted) continue;
    if (claim->is_reserved_for(pod) || claim->reserved_for.size() >= kReservationsMax) continue;
    missing.push_back({"a scheduled pod has its allocated claims reserved",
                       fmt::format("{} {}", pod.key(), claim->name), lacks_template(cluster, pod)});
  }
}

bool is_live(const Pod* pod) {
  return pod != nullptr && !pod->is_done();
}

// A group may have reserved a claim created for a pod before the group existed.
void check_owner(const Cluster& cluster, const Claim& claim, Breaches& missing) {
  if (claim.owner.empty()) return;
  if (!claim.owner_if_group.empty()) {
    if (cluster.has_owner(claim)) return;
    return missing.push_back({"no generated claim outlives its group", claim.key()});
  }
  const bool is_groups = std::ranges::any_of(claim.reserved_for, &Consumer::is_group);
  if (is_groups || is_live(cluster.find_pod(claim.owner))) return;
  missing.push_back({"no generated claim outlives its pod", claim.key()});
}

void check_claim(const Cluster& cluster, const Claim& claim, Breaches& missing) {
  for (const Consumer& consumer : claim.reserved_for) {
    const std::string details = fmt::format("{} for {}", claim.key(), consumer.name);
    if (consumer.is_group()) {
      const bool is_there = cluster.find_group(consumer.uid) != nullptr;
      if (!is_there) missing.push_back({"no reservation outlives its group", details});
    } else if (consumer.is_pod() && !is_live(cluster.find_pod(consumer.uid))) {
      missing.push_back({"no reservation outlives its pod", details});
    }
  }
  check_owner(cluster, claim, missing);
  if (claim.is_being_deleted && claim.reserved_for.empty()) {
    missing.push_back({"a deleted claim that nobody uses goes", claim.key()});
  }
}

void check_evictions(const Cluster& cluster, const Pod& pod, runtime::WallTime now,
                     Breaches& missing) {
  const auto due = cluster.due(pod);
  if (!due || *due > now || pod.has_ended()) return;
  missing.push_back({kDuePods, pod.key()});
}

void check_rule(const Cluster& cluster, const Rule& rule, Breaches& missing) {
  const auto complain = [&](const std::string& details) {
    missing.push_back({kConditions, fmt::format("{}: {} but {} {} '{}'", rule.name, details,
                                                rule.status, rule.reason, rule.message)});
  };
  if (rule.observed != rule.generation) return complain("another generation");
  if (rule.taint.effect == "NoExecute") {
    const auto pending = std::ranges::count_if(cluster.pods, [&](const auto& entry) {
      const Pod& pod = entry.second;
      return !pod.is_being_deleted && !pod.has_ended() && cluster.due_by(rule, pod);
    });
    if (pending == 0 && rule.status != "False") complain("no pods are pending");
    const std::string count = fmt::format("{} pod", pending);
    const bool says_so = rule.status == "True" && rule.reason == "PodsPendingEviction" &&
                         rule.message.starts_with(count);
    if (pending > 0 && !says_so) complain(count + "s are pending");
  } else {
    const std::string_view reason = rule.taint.effect == "None" ? "NoEffect" : "OtherEffect";
    if (rule.status != "False" || rule.reason != reason) complain("it evicts nobody");
  }
}

}  // namespace

bool Missing::is_about_evictions() const {
  return invariant == kDuePods || invariant == kConditions;
}

std::vector<Missing> missing_at_fixed_point(const Safety& world, runtime::WallTime now) {
  const Cluster& cluster = world.cluster();
  Breaches missing;
  for (const auto& [key, pod] : cluster.pods) {
    if (pod.is_done() || pod.is_being_deleted) continue;
    check_pod_claims(world, pod, missing);
    check_reservations(cluster, pod, missing);
    check_evictions(cluster, pod, now, missing);
  }
  for (const auto& [key, group] : cluster.groups) check_group(world, group, missing);
  for (const auto& [key, claim] : cluster.claims) check_claim(cluster, claim, missing);
  for (const auto& [name, rule] : cluster.rules) check_rule(cluster, rule, missing);
  return missing;
}

}  // namespace dcm::simulation
