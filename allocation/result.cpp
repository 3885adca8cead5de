#include "allocation/result.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

// A UUID of version 4: see Options::new_share_id.
constexpr const char* kAnyShare = "00000000-0000-4000-8000-000000000000";

DeviceResult device_result(const Taken& taken, const Candidate& candidate, const Features& features,
                           const std::function<std::string()>& new_share_id) {
  const Device& device = *candidate.device;
  DeviceResult result{.request = taken.ask->name, .id = candidate.slice->id_of(device)};
  result.has_admin_access = taken.ask->ask->has_admin_access();
  result.tolerations = taken.ask->ask->toleration_texts;
  if (features.binding_conditions) {
    result.binding_conditions = device.extras().binding_conditions;
    result.binding_failure_conditions = device.extras().binding_failure_conditions;
  }
  if (taken.is_shared) {
    result.share_id = new_share_id ? new_share_id() : kAnyShare;
    for (std::size_t i = 0; i < taken.consumed.size(); ++i) {
      result.consumed_capacity.emplace_back(device.capacity[i].qualified_name(), taken.consumed[i]);
    }
  }
  result.skip_node_operations = candidate.slice->skip_node_operations;
  return result;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether the names include a request, by its own name or that of the chosen subrequest.
bool cover(const std::vector<std::string>& names, const PreparedAsk& chosen) {
  return contains(names, chosen.request->name) || contains(names, chosen.name);
}

// First the classes' configuration, in the order in which requests name them; then the claim's.
std::vector<ConfigResult> config_of(const Search& search, const PreparedClaim& claim,
                                    std::size_t index) {
  std::vector<ConfigResult> all;
  std::vector<const PreparedAsk*> chosen;
  for (std::size_t i = 0; i < claim.requests.size(); ++i)
    chosen.push_back(&search.chosen(index, i));
  std::map<api::InternedString, std::pair<std::size_t, std::size_t>>
      of_class;  // where its entries are
  for (const PreparedAsk* const ask : chosen) {
    const DeviceClass& device_class = *ask->device_class;
    if (device_class.config.empty()) continue;
    const auto [range, is_new] = of_class.try_emplace(device_class.meta.key.name, all.size(),
                                                      all.size() + device_class.config.size());
    if (is_new) {
      for (const DeviceConfig& config : device_class.config)
        all.push_back({.opaque = config.opaque});
    }
    for (auto [i, end] = range->second; i < end; ++i) all[i].requests.push_back(ask->name);
  }
  for (const DeviceConfig& config : claim.claim.spec.config) {
    const bool is_meant =
        config.requests.empty() || std::ranges::any_of(chosen, [&](const PreparedAsk* ask) {
          return cover(config.requests, *ask);
        });
    if (is_meant) all.push_back({ConfigResult::Source::from_claim, config.requests, config.opaque});
  }
  for (ConfigResult& config : all) {
    const bool is_for_all = std::ranges::all_of(
        chosen, [&](const PreparedAsk* ask) { return cover(config.requests, *ask); });
    if (is_for_all) config.requests.clear();
  }
  return all;
}

void add_new(const std::vector<NodeRequirement>& from, std::vector<NodeRequirement>& to) {
  for (const NodeRequirement& requirement : from) {
    if (std::ranges::find(to, requirement) == to.end()) to.push_back(requirement);
  }
}

NodeSelector only(const InternedString& node) {
  return {{{.match_fields = {{"metadata.name", "In", {node.str()}}}}}};
}

// Where pods with these devices may run. A single node-local device ties all of them to its node.
std::expected<std::optional<NodeSelector>, std::string> node_selector_of(
    const std::vector<Taken>& devices, Candidates& candidates) {
  NodeSelectorTerm term;
  for (const Taken& taken : devices) {
    const Slice& slice = *candidates.all()[taken.candidate].slice;
    const Device& device = *candidates.all()[taken.candidate].device;
    const NodeChoice& nodes = slice.has_per_device_nodes() ? device.extras().nodes : slice.nodes;
    if (nodes.node_name || device.extras().binds_to_node) return only(candidates.node().name);
    if (!nodes.selector || nodes.selector->terms.empty()) continue;
    if (nodes.selector->terms.size() > 1) {
      return std::unexpected(fmt::format("unsupported ResourceSlice.NodeSelector with {} terms",
                                         nodes.selector->terms.size()));
    }
    add_new(nodes.selector->terms[0].match_fields, term.match_fields);
    add_new(nodes.selector->terms[0].match_expressions, term.match_expressions);
  }
  if (term == NodeSelectorTerm()) return std::nullopt;
  return NodeSelector{{std::move(term)}};
}

}  // namespace

std::expected<AllocationResult, std::string> make_result(
    const Search& search, Candidates& candidates, const PreparedClaim& claim, std::size_t index,
    const std::function<std::string()>& new_share_id) {
  AllocationResult result;
  for (const Taken& taken : search.taken(index)) {
    result.devices.push_back(device_result(taken, candidates.all()[taken.candidate],
                                           candidates.features(), new_share_id));
  }
  result.config = config_of(search, claim, index);
  auto selector = node_selector_of(search.taken(index), candidates);
  if (!selector) {
    return std::unexpected(fmt::format("create NodeSelector for claim {}: {}", claim.claim.key.name,
                                       selector.error()));
  }
  result.node_selector = std::move(*selector);
  return result;
}

}  // namespace dcm::allocation
