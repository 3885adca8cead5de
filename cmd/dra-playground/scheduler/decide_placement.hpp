// Where a pod goes and which devices its claims get: pure, from what is known now.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/api/decoder.hpp"
#include "cmd/dra-playground/cluster/inventory.hpp"
#include "cmd/dra-playground/objects/bodies.hpp"
#include "cmd/dra-playground/objects/objects.hpp"

namespace dcm::playground {

struct SchedulableNode {
  InternedString name;
  InternedString hostname;  // its label kubernetes.io/hostname
};

// The cluster as the scheduler sees it.
struct ClusterView {
  // Null: there is no such object.
  std::function<api::ObjectPtr<Claim>(const api::NamespacedName&)> claim;
  std::function<api::ObjectPtr<DeviceClass>(const std::string& name)> device_class;
  // Whether devices are being allocated to it right now.
  std::function<bool(const api::NamespacedName&)> is_in_flight;
  const Inventory& inventory;
  // Nodes that take pods, in the order in which to try them.
  std::span<const SchedulableNode> nodes;
  // The nodes that accept no pods, and why.
  const std::map<InternedString, std::string>& closed_nodes;
};

// There is nothing to schedule (any more).
struct NotOurs {
  friend bool operator==(const NotOurs&, const NotOurs&) = default;
};
// The pod's claims are not all there: a change of them will tell.
struct WaitForClaims {
  std::string why;
  friend bool operator==(const WaitForClaims&, const WaitForClaims&) = default;
};
// No node will do now. Pods with the same `line` want exactly the same: while the first of them
// finds no place, the others need not be tried.
struct Unschedulable {
  std::string why;
  std::string line;
  friend bool operator==(const Unschedulable&, const Unschedulable&) = default;
};
struct ClaimStep {
  api::ObjectPtr<Claim> claim;
  std::vector<Grant> grants;  // none for a claim that is allocated: it is only to be reserved
  std::vector<GrantedConfig> config = {};
};
struct Placement {
  InternedString node;
  std::vector<ClaimStep> steps;
};
using Verdict = std::variant<NotOurs, WaitForClaims, Unschedulable, Placement>;

Verdict decide_placement(const Pod& pod, const ClusterView& cluster);

}  // namespace dcm::playground
