#include "explain/devices/survey.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

namespace dcm::explain {
namespace {

using allocation::DeviceExplanation;
using allocation::NodeExplanation;

constexpr std::size_t kVariantsMax = 16;
constexpr std::size_t kClosestMax = 8;

// Equal for nodes with the same answer.
std::string key_of(bool fits, const std::vector<RequestAnswer>& requests) {
  std::string key = fits ? "fits" : "";
  for (const RequestAnswer& request : requests) {
    key +=
        fmt::format("\n{} {} {} {}", request.name, request.wanted, request.free, request.devices);
    for (const auto& [kind, tally] : request.obstacles) {
      key += fmt::format("\n{} {}", tally.devices, kind);
    }
  }
  return key;
}

CloseNode distance_of(const allocation::Node& node, const std::vector<RequestAnswer>& requests) {
  CloseNode close{.node = &node};
  for (const std::span<const RequestAnswer> asks : by_request(requests)) {
    std::size_t lacks = std::numeric_limits<std::size_t>::max();
    std::size_t wants = lacks;
    for (const RequestAnswer& ask : asks) {
      const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(ask.wanted, 1));
      lacks = std::min(lacks, wanted - std::min(wanted, ask.matching));
      wants = std::min(wants, wanted - std::min(wanted, ask.free));
    }
    close.lacks += lacks;
    close.wants += wants;
  }
  return close;
}

}  // namespace

void Tally::add(const std::string& variant) {
  ++devices;
  if (!variant.empty()) add_variant(variant, 1);
}

void Tally::add_variants(const Tally& other) {
  for (const auto& [variant, count] : other.variants) add_variant(variant, count);
  has_more_variants |= other.has_more_variants;
}

void Tally::add_variant(const std::string& variant, std::size_t count) {
  const auto known =
      std::ranges::find(variants, variant, &std::pair<std::string, std::size_t>::first);
  if (known != variants.end()) {
    known->second += count;
  } else if (variants.size() < kVariantsMax) {
    variants.emplace_back(variant, count);
  } else {
    has_more_variants = true;
  }
}

DeviceSurvey::DeviceSurvey(DeviceInventory& inventory, const DeviceQuestion& question)
    : inventory_(inventory),
      question_(question),
      wording_(inventory, question),
      try_out_(inventory, question) {}

bool DeviceSurvey::advance() {
  if (next_ == inventory_.nodes().size() || question_.is_time_up()) return false;
  const allocation::Node& node = *inventory_.nodes()[next_];
  if (!is_excluded(node)) {
    NodeExplanation explanation = try_out_.explain(node);
    if (explanation.is_cut_short && !explanation.fits) return false;  // the node is left out
    note(node, std::move(explanation));
  }
  ++next_;
  return true;
}

bool DeviceSurvey::is_excluded(const allocation::Node& node) {
  if (!question_.node_affinity.matches(node)) {
    ++excluded_by_pod_;
    return true;
  }
  // The tolerations of the pods that may use a claim are unknown if the question is about the
  // claim.
  const bool is_closed =
      question_.is_of_pod && closure_of(node, question_.tolerations) != allocation::Closure::none;
  if (is_closed) {
    closed_.push_back(&node);
    return true;
  }
  const auto has_plugin = [&](const std::string& resource) {
    return question_.extended.classes.contains(resource);
  };
  if (std::ranges::any_of(node.plugin_resources, has_plugin)) {
    ++excluded_by_plugin_;
    return true;
  }
  const bool has_claims = std::ranges::all_of(
      question_.allocated,
      [&](const allocation::Claim* claim) { return claim->allocation->is_available_on(node); });
  if (!has_claims) ++excluded_by_claims_;
  return !has_claims;
}

void DeviceSurvey::note(const allocation::Node& node, NodeExplanation explanation) {
  ++looked_at_;
  const auto& error = explanation.error;
  if (error && error->is_interrupted) {
    ++undecided_;
  } else if (error && !error->is_only_this_node && !fatal_) {
    fatal_ = FatalError{error->text, &node, explanation};
  }
  std::vector<RequestAnswer> requests;
  requests.reserve(explanation.requests.size());
  for (const auto& request : explanation.requests) requests.push_back(answer(request));
  add_to_totals(requests);
  if (!explanation.fits) {
    closest_.push_back(distance_of(node, requests));
    std::ranges::sort(closest_, {}, [](const CloseNode& close) {
      return std::tuple(close.lacks, close.wants, close.node->name.view());
    });
    if (closest_.size() > kClosestMax) closest_.pop_back();
  }
  add_to_group(node, explanation.fits, std::move(requests));
}

RequestAnswer DeviceSurvey::answer(const allocation::RequestExplanation& request) const {
  RequestAnswer out{.claim = request.claim,
                    .name = request.name,
                    .wanted = request.wanted,
                    .is_all = request.is_all,
                    .is_examined = !request.fault,
                    .devices = request.devices.size(),
                    .is_satisfied = request.is_satisfied()};
  for (const DeviceExplanation& device : request.devices) {
    if (is_matching(device.obstacle)) ++out.matching;
    const auto words = wording_.describe(device);
    if (words) {
      out.obstacles[words->kind].add(words->variant);
    } else {
      ++out.free;
    }
  }
  return out;
}

void DeviceSurvey::add_to_totals(const std::vector<RequestAnswer>& requests) {
  if (totals_.empty()) {
    totals_ = requests;
    return;
  }
  for (std::size_t i = 0; i < std::min(requests.size(), totals_.size()); ++i) {
    RequestAnswer& total = totals_[i];
    const RequestAnswer& one = requests[i];
    total.free = std::max(total.free, one.free);
    total.matching = std::max(total.matching, one.matching);
    total.devices += one.devices;
    if (one.is_satisfied) total.wanted = one.wanted;  // it differs for a request for all devices
    total.is_satisfied |= one.is_satisfied;
    for (const auto& [kind, tally] : one.obstacles) {
      total.obstacles[kind].devices += tally.devices;
      total.obstacles[kind].add_variants(tally);
    }
  }
}

void DeviceSurvey::add_to_group(const allocation::Node& node, bool fits,
                                std::vector<RequestAnswer> requests) {
  const auto [found, is_new] = group_of_.try_emplace(key_of(fits, requests), groups_.size());
  if (is_new) {
    groups_.push_back({fits, {&node}, std::move(requests)});
    return;
  }
  NodeGroup& group = groups_[found->second];
  group.nodes.push_back(&node);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (const auto& [kind, tally] : requests[i].obstacles) {
      group.requests[i].obstacles[kind].add_variants(tally);
    }
  }
}

void DeviceSurvey::find_remedies() {
  for (CloseNode& close : closest_) {
    if (close.lacks == 0) close.remedy = try_out_.find_remedy(*close.node);
  }
  std::ranges::sort(closest_, {}, [](const CloseNode& close) {
    return std::tuple(close.remedy.changes.empty(), close.remedy.steps(), close.lacks, close.wants,
                      close.node->name.view());
  });
}

}  // namespace dcm::explain
