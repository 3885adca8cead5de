#include "test/simulation/cluster.hpp"

#include <algorithm>

#include "test/simulation/decode.hpp"

namespace dcm::simulation {
namespace {

using runtime::WallTime;

// KEP-5055: a NoExecute toleration; an empty key tolerates every key (in practice only with
// `Exists`); the value counts for `Equal`, which is also the default operator.
bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect != "NoExecute") return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  const bool is_equal = toleration.op.empty() || toleration.op == "Equal";
  return is_equal && toleration.value == taint.value;
}

// When the taint evicts from the device; nullopt: never.
std::optional<WallTime> due_on(const Device& device, const Taint& taint) {
  if (taint.effect != "NoExecute") return std::nullopt;
  std::optional<std::int64_t> seconds;
  for (const Toleration& toleration : device.tolerations) {
    if (!tolerates(toleration, taint)) continue;
    if (!toleration.seconds) return std::nullopt;
    const std::int64_t own = std::max<std::int64_t>(0, *toleration.seconds);
    seconds = std::min(seconds.value_or(own), own);
  }
  return taint.added + std::chrono::seconds(seconds.value_or(0));
}

void take_earlier(std::optional<WallTime>& earliest, std::optional<WallTime> other) {
  if (other && (!earliest || *other < *earliest)) earliest = other;
}

template <class T, class Decode>
void take_over(std::map<std::string, T>& into, const apiserver::Change& change, Decode decode) {
  if (change.after == nullptr) {
    into.erase(change.key);
  } else {
    into.insert_or_assign(change.key, decode(*change.after));
  }
}

}  // namespace

std::string Pod::claim_of(const PodClaim& claim) const {
  if (!claim.claim.empty()) return claim.claim;
  const auto found = made.find(claim.name);
  return found == made.end() ? std::string() : found->second;
}

bool Group::has(const PodClaim& claim) const {
  return std::ranges::find(claims, claim) != claims.end();
}

bool Claim::is_reserved_for(const std::string& consumer_uid) const {
  return std::ranges::any_of(
      reserved_for, [&](const Consumer& consumer) { return consumer.uid == consumer_uid; });
}

bool Claim::is_reserved_for(const Pod& pod) const {
  return std::ranges::any_of(reserved_for, [&](const Consumer& consumer) {
    return consumer.uid == pod.uid ||
           (consumer.is_group() && !pod.group.empty() && consumer.name == pod.group);
  });
}

bool Claim::is_made_for(const Pod& pod) const {
  return owner == pod.uid || (!owner_if_group.empty() && owner_if_group == pod.group);
}

bool Slice::publishes_for(const Device& other) const {
  return driver == other.driver && pool == other.pool;
}

bool Rule::selects(const Device& other) const {
  return (!driver || *driver == other.driver) && (!pool || *pool == other.pool) &&
         (!device || *device == other.device);
}

void Cluster::observe(std::string_view resource, const apiserver::Change& change) {
  if (resource == "pods") {
    if (change.before != nullptr) {
      pod_keys_.erase(std::string(apiserver::text_at(*change.before, {"metadata", "uid"})));
    }
    take_over(pods, change, decode_pod);
    if (change.after != nullptr) pod_keys_[pods.at(change.key).uid] = change.key;
  } else if (resource == "resourceclaims") {
    take_over(claims, change, decode_claim);
  } else if (resource == "podgroups") {
    take_over(groups, change, decode_group);
  } else if (resource == "namespaces") {
    take_over(namespaces, change, decode_namespace);
  } else if (resource == "resourceclaimtemplates") {
    take_over(templates, change, [](const apiserver::JsonObject&) { return true; });
  } else if (resource == "resourceslices") {
    take_over(slices, change, decode_slice);
  } else if (resource == "devicetaintrules") {
    take_over(rules, change, decode_rule);
  }
}

const Pod* Cluster::find_pod(const std::string& uid) const {
  const auto found = pod_keys_.find(uid);
  return found == pod_keys_.end() ? nullptr : pod(found->second);
}

const Pod* Cluster::pod(const std::string& key) const {
  const auto found = pods.find(key);
  return found == pods.end() ? nullptr : &found->second;
}

const Group* Cluster::find_group(const std::string& uid) const {
  for (const auto& [key, group] : groups) {
    if (group.uid == uid) return &group;
  }
  return nullptr;
}

const Group* Cluster::group(const std::string& key) const {
  const auto found = groups.find(key);
  return found == groups.end() ? nullptr : &found->second;
}

const Group* Cluster::group_of(const Pod& pod) const {
  return pod.group.empty() ? nullptr : group(pod.ns + "/" + pod.group);
}

const Group* Cluster::sharing_group(const Pod& pod, const PodClaim& pod_claim) const {
  const Group* group = group_of(pod);
  return group != nullptr && group->has(pod_claim) ? group : nullptr;
}

std::vector<const Pod*> Cluster::pods_of_group(const std::string& ns,
                                               const std::string& group) const {
  std::vector<const Pod*> members;
  for (const auto& [key, pod] : pods) {
    if (pod.ns == ns && pod.group == group) members.push_back(&pod);
  }
  return members;
}

bool Cluster::has_owner(const Claim& claim) const {
  if (claim.owner_if_group.empty()) return find_pod(claim.owner) != nullptr;
  return find_group(claim.owner) != nullptr;
}

const Claim* Cluster::claim(const std::string& key) const {
  const auto found = claims.find(key);
  return found == claims.end() ? nullptr : &found->second;
}

const Claim* Cluster::usable_claim(const Pod& pod, const PodClaim& pod_claim) const {
  const std::string name = pod.claim_of(pod_claim);
  const Claim* found = name.empty() ? nullptr : claim(pod.ns + "/" + name);
  if (found == nullptr) return nullptr;
  return pod_claim.template_name.empty() || found->is_made_for(pod) ? found : nullptr;
}

const Claim* Cluster::extended_claim(const Pod& pod) const {
  if (pod.extended_claim.empty()) return nullptr;
  const Claim* found = claim(pod.ns + "/" + pod.extended_claim);
  return found != nullptr && found->owner == pod.uid ? found : nullptr;
}

namespace {

// Calls `visit` with each device that the pod holds.
void for_each_device(const Cluster& cluster, const Pod& pod, const auto& visit) {
  if (pod.node.empty()) return;
  const auto look_at = [&](const Claim* claim) {
    if (claim == nullptr || !claim->is_allocated || !claim->is_reserved_for(pod)) return;
    for (const Device& device : claim->devices) visit(device);
  };
  for (const PodClaim& pod_claim : pod.claims) look_at(cluster.usable_claim(pod, pod_claim));
  look_at(cluster.extended_claim(pod));
}

}  // namespace

std::optional<WallTime> Cluster::due_by(const Rule& rule, const Pod& pod) const {
  std::optional<WallTime> earliest;
  for_each_device(*this, pod, [&](const Device& device) {
    if (rule.selects(device)) take_earlier(earliest, due_on(device, rule.taint));
  });
  return earliest;
}

std::optional<WallTime> Cluster::due(const Pod& pod) const {
  std::optional<WallTime> earliest;
  for_each_device(*this, pod, [&](const Device& device) {
    for (const auto& [name, rule] : rules) {
      if (rule.selects(device)) take_earlier(earliest, due_on(device, rule.taint));
    }
    std::int64_t newest = 0;
    for (const auto& [name, slice] : slices) {
      if (slice.publishes_for(device)) newest = std::max(newest, slice.generation);
    }
    for (const auto& [name, slice] : slices) {
      if (!slice.publishes_for(device) || slice.generation != newest) continue;
      const auto published = slice.devices.find(device.device);
      if (published == slice.devices.end()) continue;
      for (const Taint& taint : published->second) take_earlier(earliest, due_on(device, taint));
    }
  });
  return earliest;
}

}  // namespace dcm::simulation
