#include "playground/scheduler/filter.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "allocation/json/encode.hpp"
#include "playground/scheduler/binding_conditions.hpp"

namespace dcm::playground {
namespace {

// Beyond this, the page and all clients would wait for one pod's devices.
constexpr std::uint64_t kStepsMax = 500'000;
// The most subrequests of a request (FirstAvailableDeviceRequestMaxSize).
constexpr std::int64_t kSubrequestsMax = 8;

NodeMisfit misfit(std::string reason) {
  return {.reasons = {std::move(reason)}};
}

NodeMisfit to_misfit(const allocation::AllocationError& error, const Node& node) {
  if (error.is_only_this_node) return misfit(error.text);
  const std::string text =
      error.is_interrupted
          ? fmt::format("node {}: timed out trying to allocate devices", node.name.str())
          : error.text;
  NodeMisfit made = misfit("running \"DynamicResources\" filter plugin: " + text);
  made.is_error = true;
  return made;
}

// A text that is equal for pods of one priority that select the same nodes.
std::string text_of_selection(const Pod& pod) {
  std::string text = fmt::format("{}@", pod.priority);
  const auto& [node_selector, affinity] = pod.node_affinity;
  for (const auto& [label, wanted] : node_selector) text += fmt::format("{}={},", label, wanted);
  if (affinity) text += boost::json::serialize(to_json(*affinity));
  for (const allocation::Toleration& each : pod.tolerations) {
    text += fmt::format("~{}/{}={}:{}", static_cast<int>(each.operator_), each.key.str(),
                        each.value.str(), each.effect ? static_cast<int>(*each.effect) : -1);
  }
  return text;
}

std::string text_of(const allocation::ClaimSpec& spec) {
  std::string text = "extended ";
  for (const allocation::Request& request : spec.requests) {
    text += fmt::format("{}:{} ", request.asks.front().device_class, request.asks.front().count);
  }
  return text;
}

}  // namespace

Filter::Filter(const Pod& pod, const std::vector<ClaimPtr>& claims, const ClusterView& cluster)
    : pod_(pod),
      cluster_(cluster),
      containers_(allocation::numbered(pod.init_containers, pod.containers)),
      resources_(allocation::extended_resources_of(containers_)) {
  line_ = text_of_selection(pod);
  for (const ClaimPtr& claim : claims) {
    if (claim->is_allocated) {
      allocated_.push_back(claim);
      line_ += claim->meta.key.str() + " ";
      const bool has_failed =
          binding_state_of(*claim, cluster.now, cluster.now).kind == BindingState::Kind::failed;
      if (has_failed) failed_.insert(claim.get());
    } else {
      to_allocate_.push_back(claim);
      wishes_ += claim->spec_text.str() + " ";
      check_classes(*claim);
    }
  }
  line_ += wishes_;
  // The containers' requests determine how the requests of their claim are named and counted:
  // containers that run together add up, an init container that ends needs no devices of its own.
  for (const allocation::NumberedContainer& each : containers_) {
    for (const auto& [resource, amount] : each.container->requests) {
      line_ += fmt::format("{}{}={} ", each.is_short_lived ? "~" : "", resource, amount);
    }
    line_ += resources_.empty() ? "" : "| ";
  }
  const bool has_class = std::ranges::any_of(
      resources_, [this](const std::string& resource) { return !class_of(resource).empty(); });
  if (has_class) stale_ = cluster.stale_extended_claim(pod);
}

void Filter::check_classes(const Claim& claim) {
  for (const allocation::Request& request : claim.spec.requests) {
    has_preferences_ = has_preferences_ || request.is_prioritized;
    for (const allocation::Ask& ask : request.asks) {
      if (!fault_.empty() || cluster_.device_class(ask.device_class)) continue;
      fault_ = fmt::format("request {}: device class {} does not exist", request.name_of(ask),
                           ask.device_class);
    }
  }
}

std::string Filter::class_of(const std::string& resource) const {
  if (const auto implicit = allocation::implicit_class(resource)) {
    std::string name(*implicit);
    return cluster_.device_class(name) ? name : std::string();
  }
  return std::string(cluster_.devices.class_with_resource(resource));
}

// The pod's extended resources that DRA must provide on the node, by their classes.
std::expected<Filter::ClassOfResource, NodeMisfit> Filter::resources_by_claim(
    const Node& node) const {
  ClassOfResource classes;
  NodeMisfit lacking{.reasons = {}};
  for (const std::string& resource : resources_) {
    if (std::ranges::find(node.plugin_resources, resource) != node.plugin_resources.end()) {
      return std::unexpected(
          misfit("the scheduler of dra-playground does not count the device plugin's " + resource));
    }
    std::string device_class = class_of(resource);
    if (device_class.empty()) {
      lacking.reasons.push_back("Insufficient " + resource);
    } else {
      classes.emplace(resource, std::move(device_class));
    }
  }
  if (!lacking.reasons.empty()) return std::unexpected(std::move(lacking));
  return classes;
}

std::vector<const Claim*> Filter::unavailable_on(const Node& node) const {
  std::vector<const Claim*> claims;
  for (const ClaimPtr& claim : allocated_) {
    const bool is_here = claim->allocation->is_available_on(node);
    if (!is_here || failed_.contains(claim.get())) claims.push_back(claim.get());
  }
  return claims;
}

Filter::Variant& Filter::variant_of(const ClassOfResource& resources) {
  const auto [found, is_new] = variants_.try_emplace(resources);
  Variant& variant = found->second;
  if (!is_new) return variant;
  std::string wishes = wishes_;
  for (const ClaimPtr& claim : to_allocate_) {
    variant.views.push_back({claim->meta.key, claim->spec});
  }
  if (!resources.empty()) {
    variant.extended = make_extended_claim(containers_, resources);
    variant.extended_key = {pod_.meta.key.namespace_, allocation::kExtendedClaimName};
    variant.views.push_back({variant.extended_key, variant.extended->spec});
    wishes += text_of(variant.extended->spec);
  }
  if (variant.views.empty()) return variant;
  variant.misfits = &cluster_.misfits.of(wishes);
  variant.allocator = std::make_unique<allocation::Allocator>(
      cluster_.devices.cluster(), variant.views, cluster_.device_class, cluster_.compiler);
  return variant;
}

std::expected<NodeFit, NodeMisfit> Filter::allocate(const Node& node, Variant& variant) const {
  NodeFit fit;
  if (!variant.allocator) return fit;
  const std::string no_fit = "cannot allocate all claims";
  const std::uint64_t version = cluster_.devices.version(node.name);
  const auto known = variant.misfits->find(node.name);
  if (known != variant.misfits->end() && known->second == version) {
    return std::unexpected(misfit(no_fit));
  }
  allocation::Allocation made =
      variant.allocator->allocate(node, {.steps_max = kStepsMax,
                                         .is_time_up = cluster_.is_time_up,
                                         .new_share_id = cluster_.new_share_id});
  if (made.error) return std::unexpected(to_misfit(*made.error, node));
  if (!made.fits) {
    (*variant.misfits)[node.name] = version;
    return std::unexpected(misfit(no_fit));
  }
  fit.allocations = std::move(made.results);
  fit.extended = variant.extended;
  fit.score = has_preferences_ ? score_of(fit) : 0;
  return fit;
}

std::int64_t Filter::score_of(const NodeFit& fit) const {
  std::int64_t score = 0;
  for (std::size_t i = 0; i < to_allocate_.size(); ++i) {
    for (const allocation::Request& request : to_allocate_[i]->spec.requests) {
      const auto& devices = fit.allocations[i].devices;
      const auto chosen = std::ranges::find_if(request.asks, [&](const allocation::Ask& ask) {
        return request.is_prioritized &&
               std::ranges::find(devices, request.name_of(ask),
                                 &allocation::DeviceResult::request) != devices.end();
      });
      if (chosen != request.asks.end()) score += kSubrequestsMax - (chosen - request.asks.begin());
    }
  }
  return score;
}

std::expected<NodeFit, NodeMisfit> Filter::try_node(const Node& node) {
  switch (closure_of(node, pod_.tolerations)) {
    case allocation::Closure::cordon:
      return std::unexpected(misfit("node(s) were unschedulable"));
    case allocation::Closure::taint:
      return std::unexpected(misfit("node(s) had untolerated taint(s)"));
    case allocation::Closure::none:
      break;
  }
  if (!pod_.node_affinity.matches(node)) {
    return std::unexpected(misfit("node(s) didn't match Pod's node affinity/selector"));
  }
  const auto resources = resources_by_claim(node);
  if (!resources) return std::unexpected(resources.error());
  if (stale_) return std::unexpected(misfit("cannot schedule extended resource claim"));
  const std::vector<const Claim*> unavailable = unavailable_on(node);
  auto fit = allocate(node, variant_of(*resources));
  if (!fit || unavailable.empty()) return fit;
  // Added only now, so that no claim loses its devices for a pod that would have no place anyway.
  unavailable_.insert(unavailable.begin(), unavailable.end());
  return std::unexpected(misfit("resourceclaim not available on the node"));
}

}  // namespace dcm::playground
