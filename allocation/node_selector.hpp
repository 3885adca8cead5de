// Which nodes a device or a pod accepts: a NodeSelector of core/v1, matched as the scheduler does.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocation/taints.hpp"
#include "client/api/meta.hpp"

namespace dcm::allocation {

using runtime::InternedString;

// The fields of a node that determine which devices and pods it can have.
struct Node {
  InternedString name;
  std::map<std::string, std::string> labels = {};
  std::vector<std::string> declared_features = {};  // of its status
  bool is_unschedulable = false;                    // of its spec: cordoned
  std::vector<Taint> taints = {};  // of its spec, if they keep pods off: no PreferNoSchedule
  // Extended resources that a device plugin provides here: allocatable is greater than zero.
  std::vector<std::string> plugin_resources = {};
  api::ObjectMeta meta = {};
};

// What keeps a pod off a node, whatever its devices (kube-scheduler's plugins NodeUnschedulable and
// TaintToleration).
enum class Closure : std::uint8_t { none, cordon, taint };
Closure closure_of(const Node& node, std::span<const Toleration> tolerations);

struct NodeRequirement {
  std::string key;
  std::string operator_;  // "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"
  std::vector<std::string> values = {};

  // Only the set of values counts.
  friend bool operator==(const NodeRequirement& a, const NodeRequirement& b);
};

// Every requirement must be met; a term without requirements matches no node.
struct NodeSelectorTerm {
  std::vector<NodeRequirement> match_expressions = {};  // of labels
  std::vector<NodeRequirement> match_fields = {};       // of "metadata.name"

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

// One of the terms must be met.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms = {};

  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

// Error: a requirement that no scheduler understands.
std::expected<bool, std::string> matches(const NodeSelector& selector, const Node& node);

// The nodes that the pod itself accepts: its nodeSelector and its required node affinity.
struct RequiredNodeAffinity {
  std::map<std::string, std::string> node_selector = {};  // labels and their values
  std::optional<NodeSelector> affinity = {};

  // A term that no scheduler understands matches no node; the other terms count.
  bool matches(const Node& node) const;
};

// How a slice or a device selects nodes. At most one of these is set.
struct NodeChoice {
  std::optional<InternedString> node_name = {};
  bool all_nodes = false;
  std::optional<NodeSelector> selector = {};

  bool is_set() const { return (node_name && !node_name->empty()) || all_nodes || selector; }
};

// False if none is set.
std::expected<bool, std::string> reaches(const NodeChoice& choice, const Node& node);

}  // namespace dcm::allocation
