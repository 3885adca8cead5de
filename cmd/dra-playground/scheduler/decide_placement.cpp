#include "cmd/dra-playground/scheduler/decide_placement.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

using ClaimPtr = api::ObjectPtr<Claim>;

bool wants_a_node(const Pod& pod) {
  return pod.node_name.empty() && !pod.meta.is_being_deleted && !pod.has_gates &&
         !pod.is_scheduled_by_others && pod.phase == api::PodPhase::pending;
}

// The claims of a pod, or why they are not all there.
struct PodClaims {
  std::vector<ClaimPtr> claims;
  std::string missing;
};

// The name of the claim behind an entry; nothing: there is none to be had now.
std::optional<std::string_view> name_of(const common::PodClaimTarget& target) {
  if (const auto* named = std::get_if<common::UserClaim>(&target)) return named->name;
  if (const auto* made = std::get_if<common::GeneratedClaim>(&target)) return made->name;
  return std::nullopt;
}

PodClaims claims_of(const Pod& pod, const ClusterView& cluster) {
  PodClaims found;
  for (const api::PodClaim& entry : pod.claims) {
    const common::PodClaimTarget target = common::target_of(pod, entry);
    if (std::holds_alternative<common::NoClaimNeeded>(target)) continue;
    const auto name = name_of(target);
    if (!name) return {{}, fmt::format("no claim was made for {}", entry.name.str())};
    ClaimPtr claim = cluster.claim({pod.meta.key.namespace_, std::string(*name)});
    if (!claim) return {{}, fmt::format("there is no claim {}", *name)};
    if (claim->meta.is_being_deleted) return {{}, fmt::format("claim {} is being deleted", *name)};
    const bool is_generated = std::holds_alternative<common::GeneratedClaim>(target);
    if (is_generated && !common::is_owned_by(*claim, pod)) {
      return {{}, fmt::format("claim {} was not made for this pod", *name)};
    }
    // Two entries may name one claim.
    if (std::ranges::find(found.claims, claim) == found.claims.end()) {
      found.claims.push_back(std::move(claim));
    }
  }
  return found;
}

// The requests of a pod and of all its unallocated claims.
struct Requests {
  std::vector<Need> needs;
  std::vector<std::string> unknown;  // what this scheduler does not know
  std::string missing;               // a device class that is not there
  std::string line;                  // the same text for the same wishes

  std::string problem() const {
    if (!unknown.empty()) {
      return fmt::format("the scheduler of dra-playground does not know {}",
                         fmt::join(unknown, ", nor "));
    }
    return missing.empty() ? "" : fmt::format("there is no device class {}", missing);
  }
};

void add_request(const DeviceRequest& request, std::size_t claim, const ClusterView& cluster,
                 Requests& all) {
  const auto device_class = cluster.device_class(request.device_class);
  if (!device_class) {
    all.missing = request.device_class;
    return;
  }
  if (!device_class->unsupported.empty()) {
    all.unknown.push_back(
        fmt::format("{} of class {}", device_class->unsupported, request.device_class));
  }
  all.needs.push_back({device_class->driver, request.mode,
                       static_cast<std::size_t>(std::max<std::int64_t>(request.count, 0)),
                       request.tolerated, claim});
}

Requests requests_of(const Pod& pod, const std::vector<ClaimPtr>& claims,
                     const ClusterView& cluster) {
  Requests all;
  if (!pod.unsupported.empty()) all.unknown.push_back(pod.unsupported);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const ClaimPtr& claim = claims[i];
    if (claim->is_allocated) continue;
    if (!claim->unsupported.empty()) {
      all.unknown.push_back(
          fmt::format("{} of claim {}", claim->unsupported, claim->meta.key.name));
    }
    all.line += "claim ";  // a claim has a limit of its own
    for (const DeviceRequest& request : claim->requests) {
      // A request that is refused may not even name a class.
      if (!claim->unsupported.empty()) continue;
      add_request(request, i, cluster, all);
      all.line += request.mode == AllocationMode::all
                      ? fmt::format("{}:all ", request.device_class)
                      : fmt::format("{}:{} ", request.device_class, request.count);
      for (const std::string& toleration : request.tolerations) all.line += toleration;
    }
  }
  return all;
}

// Where allocated claims tie the pod to.
struct Ties {
  InternedString node;  // empty: nowhere
  std::string problem;
};

Ties ties_of(const std::vector<ClaimPtr>& claims, const Pod& pod, const Inventory& inventory) {
  Ties ties;
  for (const ClaimPtr& claim : claims) {
    if (!claim->is_allocated) continue;
    const bool is_full = claim->reserved_for.size() >= api::kReservedForMax;
    if (is_full && !common::is_reserved_for(*claim, pod)) {
      return {{},
              fmt::format("claim {} is reserved for {} pods, which is the most there can be",
                          claim->meta.key.name, api::kReservedForMax)};
    }
    std::vector<api::DeviceId> devices = claim->admin_devices;
    for (const api::AllocatedDevice& device : claim->devices) devices.push_back(device.id);
    for (const api::DeviceId& device : devices) {
      const InternedString node = inventory.node_of(device);
      if (node.empty()) {
        return {
            {},
            fmt::format("device {} of claim {} is not there", device.str(), claim->meta.key.name)};
      }
      if (!ties.node.empty() && ties.node != node) {
        return {{}, "its claims have devices of different nodes"};
      }
      ties.node = node;
    }
  }
  return ties;
}

// The requests that a configuration is for; none: for all of them, which the API says so.
std::vector<std::string> narrowed(std::vector<std::string> requests, const Claim& claim) {
  const bool is_for_all = std::ranges::all_of(claim.requests, [&](const DeviceRequest& request) {
    return std::ranges::find(requests, request.name) != requests.end();
  });
  return is_for_all ? std::vector<std::string>() : std::move(requests);
}

// The classes' configuration first, in the order in which requests name them; then the claim's.
std::vector<GrantedConfig> config_of(const Claim& claim, const ClusterView& cluster) {
  std::vector<GrantedConfig> all;
  std::vector<std::string> classes;
  for (const DeviceRequest& request : claim.requests) {
    if (std::ranges::find(classes, request.device_class) != classes.end()) continue;
    classes.push_back(request.device_class);
    std::vector<std::string> requests;
    for (const DeviceRequest& other : claim.requests) {
      if (other.device_class == request.device_class) requests.push_back(other.name);
    }
    const auto device_class = cluster.device_class(request.device_class);
    for (const DeviceConfig& config : device_class->config) {
      all.push_back({GrantedConfig::Source::device_class, narrowed(requests, claim), config.text});
    }
  }
  for (const DeviceConfig& config : claim.config) {
    all.push_back({GrantedConfig::Source::claim, narrowed(config.requests, claim), config.text});
  }
  return all;
}

std::vector<ClaimStep> steps_of(const std::vector<ClaimPtr>& claims, const Pod& pod, const Fit& fit,
                                const ClusterView& cluster) {
  std::vector<ClaimStep> steps;
  std::size_t next = 0;
  for (const ClaimPtr& claim : claims) {
    ClaimStep step{claim, {}};
    if (!claim->is_allocated) {
      step.config = config_of(*claim, cluster);
      for (const DeviceRequest& request : claim->requests) {
        for (const api::DeviceId& device : fit[next]) {
          step.grants.push_back({request.name, device, request.tolerations});
        }
        ++next;
      }
    }
    const bool is_done = claim->is_allocated && common::is_reserved_for(*claim, pod);
    if (!is_done) steps.push_back(std::move(step));
  }
  return steps;
}

// Why no node will do. Of many reasons it says one, and at each try the same.
std::string why_nowhere(const ClusterView& cluster, const std::set<std::string>& reasons) {
  std::string why = fmt::format("0/{} nodes have the devices that its claims ask for",
                                cluster.nodes.size() + cluster.closed_nodes.size());
  if (!reasons.empty()) return why + "; " + *reasons.begin();
  if (cluster.closed_nodes.empty()) return why;
  const auto& [node, reason] = *cluster.closed_nodes.begin();
  return why + fmt::format("; {} {}", node.str(), reason);
}

}  // namespace

Verdict decide_placement(const Pod& pod, const ClusterView& cluster) {
  if (!wants_a_node(pod)) return NotOurs{};
  const PodClaims found = claims_of(pod, cluster);
  if (!found.missing.empty()) return WaitForClaims{found.missing};
  for (const ClaimPtr& claim : found.claims) {
    if (!claim->is_allocated && cluster.is_in_flight(claim->meta.key)) {
      return WaitForClaims{fmt::format("claim {} is being allocated", claim->meta.key.name)};
    }
  }
  const Ties ties = ties_of(found.claims, pod, cluster.inventory);
  const Requests wanted = requests_of(pod, found.claims, cluster);
  const std::string line = wanted.line + ties.node.str() + "@" + pod.wanted_node.str();
  const std::string problem = ties.problem.empty() ? wanted.problem() : ties.problem;
  if (!problem.empty()) return Unschedulable{problem, line + pod.meta.key.str()};
  std::set<std::string> reasons;
  for (const SchedulableNode& node : cluster.nodes) {
    if (!ties.node.empty() && node.name != ties.node) continue;
    if (!pod.wanted_node.empty() && node.hostname != pod.wanted_node) continue;
    const auto fit = cluster.inventory.fit(node.name, wanted.needs);
    if (fit) return Placement{node.name, steps_of(found.claims, pod, *fit, cluster)};
    if (!fit.error().empty()) reasons.insert(fit.error());
  }
  return Unschedulable{why_nowhere(cluster, reasons), line};
}

}  // namespace dcm::playground
