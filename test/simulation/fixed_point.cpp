#include "test/simulation/fixed_point.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

using Breaches = std::vector<Breach>;

void check_pod_claims(const Safety& world, const Pod& pod, Breaches& missing) {
  const Cluster& cluster = world.cluster();
  for (const PodClaim& pod_claim : pod.claims) {
    if (pod_claim.template_name.empty()) continue;
    // Nothing can be made from a template that is not there.
    const bool has_template = cluster.templates.contains(pod.ns + "/" + pod_claim.template_name);
    if (has_template && cluster.usable_claim(pod, pod_claim) == nullptr) {
      missing.push_back(
          {"each pod claim has its claim", fmt::format("{} {}", pod.key(), pod_claim.name)});
    }
    const auto count = std::ranges::count_if(cluster.claims, [&](const auto& entry) {
      return entry.second.owner == pod.uid && entry.second.pod_claim == pod_claim.name;
    });
    if (count > 1 && !world.may_be_double(pod.uid, pod_claim.name)) {
      missing.push_back({"one claim per pod claim",
                         fmt::format("{} {} has {}", pod.key(), pod_claim.name, count)});
    }
  }
}

void check_reservations(const Cluster& cluster, const Pod& pod, Breaches& missing) {
  if (pod.node.empty()) return;
  for (const PodClaim& pod_claim : pod.claims) {
    const Claim* claim = cluster.usable_claim(pod, pod_claim);
    if (claim == nullptr || !claim->is_allocated || claim->is_being_deleted) continue;
    if (claim->is_reserved_for(pod.uid)) continue;
    missing.push_back({"a scheduled pod has its allocated claims reserved",
                       fmt::format("{} {}", pod.key(), claim->name)});
  }
}

void check_claim(const Cluster& cluster, const Claim& claim, Breaches& missing) {
  for (const Consumer& consumer : claim.reserved_for) {
    const Pod* pod = cluster.find_pod(consumer.uid);
    if (pod == nullptr || pod->is_done()) {
      missing.push_back({"no reservation outlives its pod",
                         fmt::format("{} for {}", claim.key(), consumer.name)});
    }
  }
  if (!claim.owner.empty()) {
    const Pod* pod = cluster.find_pod(claim.owner);
    if (pod == nullptr || pod->is_done()) {
      missing.push_back({"no generated claim outlives its pod", claim.key()});
    }
  }
  if (claim.is_being_deleted && claim.reserved_for.empty()) {
    missing.push_back({"a deleted claim that nobody uses goes", claim.key()});
  }
}

void check_evictions(const Cluster& cluster, const Pod& pod, runtime::WallTime now,
                     Breaches& missing) {
  const auto due = cluster.due(pod);
  if (!due || *due > now || pod.has_ended()) return;
  missing.push_back({"every due pod is deleted", pod.key()});
}

void check_rule(const Cluster& cluster, const Rule& rule, Breaches& missing) {
  const auto complain = [&](const std::string& details) {
    missing.push_back({"a rule's condition says how far it is",
                       fmt::format("{}: {} but {} {} '{}'", rule.name, details, rule.status,
                                   rule.reason, rule.message)});
  };
  if (rule.observed != rule.generation) return complain("another generation");
  if (rule.taint.effect == "NoExecute") {
    const auto pending = std::ranges::count_if(cluster.pods, [&](const auto& entry) {
      const Pod& pod = entry.second;
      return !pod.is_being_deleted && !pod.has_ended() && cluster.due_by(rule, pod);
    });
    if (pending == 0 && rule.status != "False") complain("no pods are pending");
    const std::string count = fmt::format("{} pod", pending);
    if (pending > 0 && !rule.message.starts_with(count)) complain(count + "s are pending");
  } else {
    const std::string_view reason = rule.taint.effect == "None" ? "NoEffect" : "OtherEffect";
    if (rule.status != "False" || rule.reason != reason) complain("it evicts nobody");
  }
}

}  // namespace

std::vector<Breach> missing_at_fixed_point(const Safety& world, runtime::WallTime now) {
  const Cluster& cluster = world.cluster();
  Breaches missing;
  for (const auto& [key, pod] : cluster.pods) {
    if (pod.is_done() || pod.is_being_deleted) continue;
    check_pod_claims(world, pod, missing);
    check_reservations(cluster, pod, missing);
    check_evictions(cluster, pod, now, missing);
  }
  for (const auto& [key, claim] : cluster.claims) check_claim(cluster, claim, missing);
  for (const auto& [name, rule] : cluster.rules) check_rule(cluster, rule, missing);
  return missing;
}

}  // namespace dcm::simulation
