// Which nodes something is for: core/v1 NodeSelector, as the scheduler matches it.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocation/taints.hpp"
#include "client/api/meta.hpp"

namespace dcm::allocation {

using runtime::InternedString;

// A node as far as devices, and which pods may go to it, depend on it.
struct Node {
  InternedString name;
  std::map<std::string, std::string> labels = {};
  std::vector<std::string> declared_features = {};  // of its status
  bool is_unschedulable = false;                    // of its spec: cordoned
  std::vector<Taint> taints = {};  // of its spec those that keep off pods: not PreferNoSchedule
  // Extended resources that a device plugin has here: with more than none allocatable.
  std::vector<std::string> plugin_resources = {};
  api::ObjectMeta meta = {};
};

struct NodeRequirement {
  std::string key;
  std::string operator_;  // "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"
  std::vector<std::string> values = {};

  // Of values only the set counts.
  friend bool operator==(const NodeRequirement& a, const NodeRequirement& b);
};

// Every requirement must be met; a term without any is met by no node.
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

// The error: a requirement that no scheduler understands.
std::expected<bool, std::string> matches(const NodeSelector& selector, const Node& node);

// The nodes that a pod may go to by its own choice: its nodeSelector, and its affinity as far as
// that is required.
struct RequiredNodeAffinity {
  std::map<std::string, std::string> node_selector = {};  // labels and their values
  std::optional<NodeSelector> affinity = {};

  // An affinity that no scheduler understands is met by no node.
  bool matches(const Node& node) const;
};

// How a slice or a device says which nodes reach it. At most one of these is set.
struct NodeChoice {
  std::optional<InternedString> node_name = {};
  bool all_nodes = false;
  std::optional<NodeSelector> selector = {};

  bool is_set() const { return (node_name && !node_name->empty()) || all_nodes || selector; }
};

// False if nothing is set.
std::expected<bool, std::string> reaches(const NodeChoice& choice, const Node& node);

}  // namespace dcm::allocation
