// The API server's objects as read by the checks and the actors: the few relevant fields.
//
// Decoded independently from the server's JSON, without a type or decoder of the manager, and
// judged by Kubernetes' documented rules (KEP-4381, KEP-5055, KEP-5729), so that the manager's
// mistakes show.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/store/store.hpp"
#include "runtime/time.hpp"

namespace dcm::simulation {

struct Namespace {
  bool is_being_deleted = false;
};

struct PodClaim {
  std::string name;
  std::string claim;          // named by the user
  std::string template_name;  // or created from that
  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

using ClaimNames = std::map<std::string, std::string>;  // pod claim → claim, from a status

struct Pod {
  std::string ns, name, uid, version, node, phase;
  bool is_being_deleted = false;
  std::string group;  // the name of the pod's group
  std::vector<PodClaim> claims;
  ClaimNames made;
  bool is_marked = false;                // DisruptionTarget is True
  runtime::WallTime marked_since{};      // its last transition; if missing: long ago
  bool wants_extended_resource = false;  // "example.com/gpu"
  std::string extended_claim;            // created by the scheduler for it

  std::string key() const { return ns + "/" + name; }
  bool has_ended() const { return phase == "Succeeded" || phase == "Failed"; }
  // None of its containers runs, or ever will.
  bool is_done() const { return has_ended() || (is_being_deleted && node.empty()); }
  // The name of the claim behind a pod claim; empty: not known yet.
  std::string claim_of(const PodClaim& claim) const;
};

struct Group {
  std::string ns, name, uid;
  bool is_being_deleted = false;
  bool is_protected = false;  // by its initial finalizer
  std::vector<PodClaim> claims;
  ClaimNames made;

  std::string key() const { return ns + "/" + name; }
  // Whether the group has an identical pod claim, which its pods then share.
  bool has(const PodClaim& claim) const;
};

struct Toleration {
  std::string op, key, value, effect;
  std::optional<std::int64_t> seconds;
};

struct Device {
  std::string driver, pool, device;
  std::vector<Toleration> tolerations;

  std::string id() const { return driver + "/" + pool + "/" + device; }
};

struct Consumer {
  std::string api_group, resource, name, uid;

  bool is_pod() const { return api_group.empty() && resource == "pods"; }
  bool is_group() const { return api_group == "scheduling.k8s.io" && resource == "podgroups"; }
};

struct Claim {
  std::string ns, name, uid, version;
  std::string owner;           // UID of the pod or group that is its controller
  std::string owner_if_group;  // the name of that group; empty: none
  std::string pod_claim;       // from its annotation
  bool is_being_deleted = false;
  bool is_protected = false;  // by the finalizer
  bool is_allocated = false;
  std::vector<Device> devices;
  std::vector<Consumer> reserved_for;

  std::string key() const { return ns + "/" + name; }
  bool is_reserved_for(const std::string& consumer_uid) const;
  // Whether it is reserved for the pod, or for the pod's group, which is known by name only.
  bool is_reserved_for(const Pod& pod) const;
  // Whether it was created for the pod, or for a group of the same name as its group.
  bool is_made_for(const Pod& pod) const;
};

struct Taint {
  std::string key, value, effect;
  runtime::WallTime added{};
};

struct Slice {
  std::string driver, pool;
  std::int64_t generation = 0;
  std::map<std::string, std::vector<Taint>> devices;

  // Whether it belongs to the device's pool.
  bool publishes_for(const Device& other) const;
};

struct Rule {
  std::string name, uid;
  std::optional<std::string> driver, pool, device;
  Taint taint;
  std::int64_t generation = 0, observed = 0;
  std::string status, reason, message;  // of its condition

  bool selects(const Device& other) const;
};

class Cluster {
 public:
  // Applies a change of the server's.
  void observe(std::string_view resource, const apiserver::Change& change);

  std::map<std::string, Namespace> namespaces;
  std::map<std::string, Pod> pods;
  std::map<std::string, Group> groups;
  std::map<std::string, Claim> claims;
  std::map<std::string, bool> templates;
  std::map<std::string, Slice> slices;
  std::map<std::string, Rule> rules;

  const Pod* find_pod(const std::string& uid) const;
  const Pod* pod(const std::string& key) const;
  const Group* find_group(const std::string& uid) const;
  const Group* group(const std::string& key) const;
  // The group that a pod names, if it exists.
  const Group* group_of(const Pod& pod) const;
  // The same, if the pod claim is the group's.
  const Group* sharing_group(const Pod& pod, const PodClaim& pod_claim) const;
  std::vector<const Pod*> pods_of_group(const std::string& ns, const std::string& group) const;
  // Whether the pod or group that is its controller exists, if it has one.
  bool has_owner(const Claim& claim) const;
  const Claim* claim(const std::string& key) const;
  // The claim of a pod claim, if it exists and the pod may use it.
  const Claim* usable_claim(const Pod& pod, const PodClaim& pod_claim) const;
  // The claim behind its extended resources, if it exists and is the pod's.
  const Claim* extended_claim(const Pod& pod) const;
  // When the pod must be evicted; nullopt: it need not be.
  std::optional<runtime::WallTime> due(const Pod& pod) const;
  // The same for one rule alone.
  std::optional<runtime::WallTime> due_by(const Rule& rule, const Pod& pod) const;

 private:
  std::unordered_map<std::string, std::string> pod_keys_;  // by UID
};

}  // namespace dcm::simulation
