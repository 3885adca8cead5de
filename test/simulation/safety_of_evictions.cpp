// The invariants of safety.hpp about pods deleted by managers.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "test/simulation/decode.hpp"
#include "test/simulation/safety.hpp"

namespace dcm::simulation {

using apiserver::Change;
using runtime::MonoTime;

void Safety::check_deletion(const Change& change) {
  evicted_last_ = time_.now();
  const Pod pod = decode_pod(*change.before);
  reports_.observe_eviction(pod.uid);
  const auto life = lives_.find(pod.uid);
  const bool was_marked = life != lives_.end() && life->second.unmarked_since != MonoTime::min() &&
                          is_recent(life->second.unmarked_since);
  if (writer_->verb == "delete" && !pod.is_marked && !was_marked) {
    report("a pod's status says why before it is deleted", pod.key());
  }
  const bool was_due = life != lives_.end() && life->second.due_last != MonoTime::min() &&
                       is_recent(life->second.due_last);
  if (!is_due(pod, cluster_) && !was_due && !may_seem_due(pod)) {
    report("a pod is deleted only while it is due", pod.key());
  }
}

bool Safety::is_due(const Pod& pod, const Cluster& seen) const {
  const auto due = seen.due(pod);
  return due && *due <= time_.wall_now() + clocks_ahead_;
}

// A manager may know the current pod, and outdated claims, rules or slices.
bool Safety::may_seem_due(const Pod& pod) const {
  Cluster seen = cluster_;
  for (const auto& [until, rule] : former_rules_) {
    if (is_recent(until)) seen.rules.emplace(fmt::format("was {}", seen.rules.size()), rule);
  }
  if (seems_due(pod, seen)) return true;
  return std::ranges::any_of(former_claims_, [&](const auto& former) {
    const auto& [until, claim] = former;
    if (!is_recent(until) || !claim.is_reserved_for(pod)) return false;
    seen.claims.insert_or_assign(claim.key(), claim);
    return seems_due(pod, seen);
  });
}

// Whether the pod is due with the current slices, or with any recent state of a slice.
bool Safety::seems_due(const Pod& pod, Cluster seen) const {
  if (is_due(pod, seen)) return true;
  return std::ranges::any_of(former_slices_, [&](const auto& former) {
    seen.slices = {{"was", former.second}};
    return is_recent(former.first) && is_due(pod, seen);
  });
}

void Safety::remember_former(std::string_view resource, const Change& change) {
  const MonoTime now = time_.now();
  if (change.before == nullptr) {
    // A new generation outdates unchanged slices.
    for (const auto& [name, slice] : cluster_.slices) {
      if (resource == "resourceslices" && name != change.key)
        former_slices_.emplace_back(now, slice);
    }
  } else if (resource == "devicetaintrules") {
    former_rules_.emplace_back(now, decode_rule(*change.before));
  } else if (resource == "resourceslices") {
    former_slices_.emplace_back(now, decode_slice(*change.before));
  } else if (resource == "resourceclaims") {
    Claim claim = decode_claim(*change.before);
    if (!claim.reserved_for.empty()) former_claims_.emplace_back(now, std::move(claim));
  }
}

// Considers only changes that can affect when a pod must be evicted.
void Safety::remember_due(std::string_view resource, const Change& change) {
  if (resource == "pods" && change.after != nullptr) {
    remember_due(cluster_.pods.at(change.key));
  } else if (resource == "resourceclaims") {
    if (change.before != nullptr) remember_due_of_users(decode_claim(*change.before));
    if (change.after != nullptr) remember_due_of_users(cluster_.claims.at(change.key));
  } else if (resource == "resourceslices" || resource == "devicetaintrules") {
    for (const auto& [key, pod] : cluster_.pods) remember_due(pod);
  }
}

void Safety::remember_due_of_users(const Claim& claim) {
  for (const Consumer& consumer : claim.reserved_for) {
    const Pod* pod = cluster_.find_pod(consumer.uid);
    if (pod != nullptr) remember_due(*pod);
    if (!consumer.is_group()) continue;
    for (const Pod* each : cluster_.pods_of_group(claim.ns, consumer.name)) remember_due(*each);
  }
}

void Safety::remember_due(const Pod& pod) {
  Life& life = lives_[pod.uid];
  // Until this change the previous state applied; a manager that has not seen the change yet waits
  // for that time.
  if (life.due && *life.due <= time_.wall_now() + kStale + clocks_ahead_)
    life.due_last = time_.now();
  life.due = cluster_.due(pod);
}

}  // namespace dcm::simulation
