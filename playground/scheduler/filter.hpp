// Whether a node fits a pod: the answers of kube-scheduler's plugins NodeUnschedulable,
// TaintToleration, NodeAffinity, NodeResourcesFit and DynamicResources, in their words.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/extended_resources.hpp"
#include "playground/scheduler/devices.hpp"
#include "playground/scheduler/gather_claims.hpp"
#include "playground/scheduler/misfits.hpp"

namespace dcm::playground {

using NodePtr = api::ObjectPtr<Node>;

// The cluster as the scheduler sees it.
struct ClusterView {
  FindClaim claim;
  allocation::FindClass device_class;
  // Whether devices are currently being allocated to the claim.
  std::function<bool(const api::NamespacedName&)> is_in_flight;
  // The claim created for a pod's extended resources in a failed attempt; null: none.
  std::function<ClaimPtr(const Pod&)> stale_extended_claim;
  const Devices& devices;
  cel::SelectorCompiler& compiler;
  Misfits& misfits;
  std::span<const NodePtr> nodes;  // in the order of trial
  runtime::WallTime now;
  std::function<std::string()> new_share_id;
  // See allocation::Options: for the whole attempt, on all nodes.
  std::function<bool()> is_time_up = {};
};

// What the pod's unallocated claims get on a node.
struct NodeFit {
  std::vector<allocation::AllocationResult> allocations = {};  // in the order of these claims
  std::optional<allocation::ExtendedClaim> extended = {};      // its allocation is the last one
  // As in kube-scheduler: higher for earlier subrequests.
  std::int64_t score = 0;
};

struct NodeMisfit {
  std::vector<std::string> reasons;
  bool is_error = false;  // blocks the pod on all nodes
};

// For one pod and one attempt. `pod`, `claims` and `cluster` must outlive it.
class Filter {
 public:
  Filter(const Pod& pod, const std::vector<ClaimPtr>& claims, const ClusterView& cluster);

  // Why no node can fit; empty: one may.
  const std::string& fault() const { return fault_; }
  std::expected<NodeFit, NodeMisfit> try_node(const Node& node);

  // Allocated claims that were a node's only obstacle.
  const std::set<const Claim*>& unavailable() const { return unavailable_; }
  // The claim for extended resources that an earlier attempt left; null: none.
  const ClaimPtr& stale_extended_claim() const { return stale_; }
  // Whether alternatives make one node better than another.
  bool has_preferences() const { return has_preferences_; }
  // Equal for interchangeable pods.
  const std::string& line() const { return line_; }

 private:
  // The requests of the claim for extended resources on some nodes, with their allocator.
  struct Variant {
    std::optional<allocation::ExtendedClaim> extended;
    api::NamespacedName extended_key;
    std::vector<allocation::ClaimView> views;
    std::unique_ptr<allocation::Allocator> allocator;
    Misfits::Nodes* misfits = nullptr;
  };
  using ClassOfResource = std::map<std::string, std::string>;

  void check_classes(const Claim& claim);
  std::string class_of(const std::string& resource) const;
  std::expected<ClassOfResource, NodeMisfit> resources_by_claim(const Node& node) const;
  std::vector<const Claim*> unavailable_on(const Node& node) const;
  Variant& variant_of(const ClassOfResource& resources);
  std::expected<NodeFit, NodeMisfit> allocate(const Node& node, Variant& variant) const;
  std::int64_t score_of(const NodeFit& fit) const;

  const Pod& pod_;
  const ClusterView& cluster_;
  allocation::NumberedContainers containers_;
  std::vector<ClaimPtr> to_allocate_;
  std::vector<ClaimPtr> allocated_;
  std::set<const Claim*> failed_;  // of these, by failed binding conditions
  std::set<std::string> resources_;
  ClaimPtr stale_;
  bool has_preferences_ = false;
  std::string wishes_;  // of the claims to allocate
  std::string line_;
  std::string fault_;
  std::map<ClassOfResource, Variant> variants_;
  std::set<const Claim*> unavailable_;
};

}  // namespace dcm::playground
