#include "playground/scheduler/decide_placement.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

bool wants_a_node(const Pod& pod) {
  return pod.node_name.empty() && !pod.meta.is_being_deleted && !pod.has_gates &&
         !pod.is_scheduled_by_others && pod.phase == api::PodPhase::pending;
}

// Why an attempt failed, in the words of kube-scheduler's FitError.
class Reasons {
 public:
  explicit Reasons(std::size_t nodes) : nodes_(nodes) {}

  void add(const NodeMisfit& misfit) {
    for (const std::string& reason : misfit.reasons) ++counts_[reason];
  }

  // `post_filter`: what was done about it; empty: nothing. `fault` replaces the nodes' reasons.
  std::string text(const std::string& post_filter, const std::string& fault = {}) const {
    if (nodes_ == 0) return "no nodes available to schedule pods";
    std::string said = fault;
    if (said.empty()) {
      std::vector<std::string> reasons;
      for (const auto& [reason, count] : counts_) {
        reasons.push_back(fmt::format("{} {}", count, reason));
      }
      std::ranges::sort(reasons);
      said = fmt::format("{}", fmt::join(reasons, ", "));
    }
    return fmt::format("{}{} {}{}preemption: {}{}.", head(), said.empty() ? "" : " " + said + ".",
                       post_filter, post_filter.empty() ? "" : ", ", head(), preemption());
  }

 private:
  std::string head() const { return fmt::format("0/{} nodes are available:", nodes_); }
  // Fewer pods on the nodes would remove none of these reasons.
  std::string preemption() const {
    return fmt::format(" {} Preemption is not helpful for scheduling", nodes_);
  }

  std::size_t nodes_;
  std::map<std::string, std::size_t> counts_;
};

// Why the pod waits regardless of nodes; empty: it does not.
std::string refusal(const Pod& pod, const std::vector<ClaimPtr>& claims) {
  if (!pod.unsupported.empty()) {
    return "the scheduler of dra-playground does not know " + pod.unsupported;
  }
  const auto full = std::ranges::find_if(claims, [&](const ClaimPtr& claim) {
    return claim->is_allocated && api::is_full(*claim) && !common::is_reserved_for(*claim, pod);
  });
  if (full == claims.end()) return {};
  return fmt::format("claim {} is reserved for {} pods, which is the most there can be",
                     (*full)->meta.key.name, api::kReservedForMax);
}

Placement placement_on(const Node& node, const Pod& pod, const std::vector<ClaimPtr>& claims,
                       NodeFit fit) {
  Placement placement{.node = node.name, .steps = {}};
  auto next = fit.allocations.begin();
  for (const ClaimPtr& claim : claims) {
    if (!claim->is_allocated) {
      placement.steps.push_back({claim, std::move(*next++)});
    } else if (!common::is_reserved_for(*claim, pod)) {
      placement.steps.push_back({claim});
    }
  }
  if (fit.extended) placement.extended = {std::move(*fit.extended), std::move(*next)};
  return placement;
}

// The first of the unavailable claims that nobody else uses.
ClaimPtr claim_to_deallocate(const Filter& filter, const std::vector<ClaimPtr>& claims,
                             const Pod& pod) {
  const auto found = std::ranges::find_if(claims, [&](const ClaimPtr& claim) {
    const auto& users = claim->reserved_for;
    return filter.unavailable().contains(claim.get()) &&
           (users.empty() || (users.size() == 1 && users.front().uid == pod.meta.uid));
  });
  return found == claims.end() ? nullptr : *found;
}

// PostFilter: what can be done about it.
Unschedulable no_node(const Pod& pod, const std::vector<ClaimPtr>& claims, const Filter& filter,
                      const Reasons& reasons) {
  Unschedulable verdict{.why = {}, .line = filter.line()};
  std::string done;
  if (ClaimPtr claim = claim_to_deallocate(filter, claims, pod)) {
    verdict.to_deallocate = std::move(claim);
    done = "deallocation of ResourceClaim completed";
  } else if (filter.stale_extended_claim()) {
    verdict.to_delete = filter.stale_extended_claim();
    done = "deletion of ResourceClaim completed";
  }
  verdict.why = reasons.text(done);
  return verdict;
}

}  // namespace

Verdict decide_placement(const Pod& pod, const ClusterView& cluster) {
  if (!wants_a_node(pod)) return NotOurs{};
  const auto [claims, missing] = gather_claims(pod, cluster.claim);
  if (!missing.empty()) return WaitForClaims{missing};
  for (const ClaimPtr& claim : claims) {
    if (claim->is_allocated || !cluster.is_in_flight(claim->meta.key)) continue;
    return WaitForClaims{fmt::format("resource claim {} is in the process of being allocated",
                                     claim->meta.key.str())};
  }
  Filter filter(pod, claims, cluster);
  const std::string line_of_its_own = filter.line() + pod.meta.key.str();
  if (std::string why = refusal(pod, claims); !why.empty()) {
    return Unschedulable{.why = std::move(why), .line = line_of_its_own};
  }
  Reasons reasons(cluster.nodes.size());
  if (!filter.fault().empty()) {
    // PreFilter ends before PostFilter could know the claims.
    return Unschedulable{.why = reasons.text({}, filter.fault()), .line = filter.line()};
  }
  const Node* best_node = nullptr;
  NodeFit best;
  for (const NodePtr& node : cluster.nodes) {
    auto fit = filter.try_node(*node);
    if (!fit && fit.error().is_error) {
      return Unschedulable{.kind = Unschedulable::Kind::error,
                           .why = fit.error().reasons.front(),
                           .line = line_of_its_own};
    }
    if (!fit) {
      reasons.add(fit.error());
    } else if (best_node == nullptr || fit->score > best.score) {
      best_node = node.get();
      best = std::move(*fit);
    }
    if (best_node != nullptr && !filter.has_preferences()) break;
  }
  if (best_node != nullptr) return placement_on(*best_node, pod, claims, std::move(best));
  return no_node(pod, claims, filter, reasons);
}

}  // namespace dcm::playground
