#include "allocation/candidates.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

// The node feature required by devices that need fewer node resources (KEP-5945).
constexpr std::string_view kOptionalNodeOperations = "DRAOptionalNodeOperations";

}  // namespace

Candidates::Candidates(Allocator& allocator, const Node& node, std::vector<Pool> pools)
    : allocator_(allocator), node_(node), pools_(std::move(pools)) {
  const Usage& usage = allocator.cluster().usage;
  std::size_t count = 0;
  for (const Pool& pool : pools_) {
    for (const Slice* const slice : pool.slices) count += slice->devices.size();
  }
  all_.reserve(count);
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    if (pools_[i].state != Pool::State::usable) continue;
    for (const Slice* const slice : pools_[i].slices) {
      for (const Device& device : slice->devices) {
        all_.push_back({slice, &device, i, usage.has_device(slice->id_of(device))});
      }
    }
  }
  matched_.assign(allocator.claims().asks() * all_.size(), Match::unknown);
}

std::expected<bool, std::string> Candidates::is_selected(const PreparedClaim& claim,
                                                         PreparedAsk& ask, std::size_t candidate) {
  const Slice& slice = *all_[candidate].slice;
  const Device& device = *all_[candidate].device;
  if (!features().binding_conditions && !device.extras().binding_conditions.empty()) return false;
  Match& match = matched_[ask.index * all_.size() + candidate];
  if (match != Match::unknown) return match == Match::yes;
  SelectorVerdict verdict = allocator_.claims().select(claim, ask, slice, device);
  if (verdict.kind == SelectorVerdict::Kind::error)
    return std::unexpected(std::move(verdict.error));
  bool is_match = verdict.kind == SelectorVerdict::Kind::matches;
  if (is_match && slice.has_per_device_nodes()) {
    const auto reached = reaches(device.extras().nodes, node_);
    if (!reached) return reached;
    is_match = *reached;
  }
  match = is_match ? Match::yes : Match::no;
  return is_match;
}

std::expected<std::optional<Consumption>, std::string> Candidates::consumption(
    const PreparedClaim& claim, const PreparedAsk& ask, const Candidate& candidate,
    bool is_empty) const {
  if (!features().consumable_capacity) return Consumption();
  const Device& device = *candidate.device;
  if (missing_capacity(*ask.ask, device) != nullptr) return std::nullopt;
  const bool is_fractional = features().fractional_capacity_range;
  auto wanted = consumption_of(*ask.ask, device, is_fractional);
  if (!wanted) {
    // While the devices of a request for all devices are collected, only the device is named.
    return std::unexpected(fmt::format(
        "claim {}, request {}: checking capacity for device {}: {}", claim.claim.key.str(),
        ask.ask->name, is_empty ? device.name.str() : candidate.slice->id_of(device).str(),
        wanted.error()));
  }
  if (device.capacity.empty()) return std::move(*wanted);
  const Amounts* const used =
      is_empty ? nullptr : allocator_.cluster().usage.consumed(candidate.slice->id_of(device));
  if (capacity_obstacle(*ask.ask, device, *wanted, used,
                        is_empty ? Consumption() : candidate.consumed, is_fractional)) {
    return std::nullopt;
  }
  return std::move(*wanted);
}

std::optional<Candidates::TaintFound> Candidates::taint(const PreparedAsk& ask,
                                                        const Candidate& candidate) const {
  if (!features().device_taints) return std::nullopt;
  const auto keeps_off = [&](const Taint& taint) {
    return prevents_allocation(taint.effect) && !tolerates(ask.ask->tolerations, taint);
  };
  for (const Taint& taint : candidate.device->extras().taints) {
    if (keeps_off(taint)) return TaintFound{&taint, nullptr};
  }
  for (const TaintRule& rule : allocator_.cluster().rules) {
    if (keeps_off(rule.taint) && rule.selects(candidate.slice->id_of(*candidate.device))) {
      return TaintFound{&rule.taint, &rule};
    }
  }
  return std::nullopt;
}

bool Candidates::is_supported(const Candidate& candidate) const {
  if (!candidate.slice->skip_node_operations.empty()) {
    const auto& declared = node_.declared_features;
    if (!features().optional_node_operations) return false;
    if (std::ranges::find(declared, kOptionalNodeOperations) == declared.end()) return false;
  }
  return features().partitionable_devices || candidate.device->extras().counters.empty();
}

CounterLedger& Candidates::counters(std::size_t pool) {
  return counters_.try_emplace(pool, pools_[pool], allocator_.cluster().usage).first->second;
}

GroupLedger& Candidates::groups(std::size_t pool) {
  return groups_.try_emplace(pool, pools_[pool], allocator_.cluster().usage).first->second;
}

bool Candidates::has_counters(const Candidate& candidate) const {
  if (!is_shared(*candidate.device)) return false;
  return candidate.shares > 0 ||
         allocator_.cluster().usage.is_shared(candidate.slice->id_of(*candidate.device));
}

bool Candidates::take_counters(const Candidate& candidate) {
  const bool has_groups = features().compatibility_groups;
  if (has_groups && !groups(candidate.pool).take(*candidate.device)) return false;
  if (!counters(candidate.pool).take(*candidate.device)) return true;
  if (has_groups) groups(candidate.pool).give_back(*candidate.device);
  return false;
}

void Candidates::give_back_counters(const Candidate& candidate) {
  if (features().compatibility_groups) groups(candidate.pool).give_back(*candidate.device);
  counters(candidate.pool).give_back(*candidate.device);
}

std::expected<const cel::Attribute*, std::string> Candidates::attribute(PreparedAsk& ask,
                                                                        std::size_t candidate,
                                                                        const std::string& name) {
  const Slice& slice = *all_[candidate].slice;
  const Device& device = *all_[candidate].device;
  DerivedExpression* const expression = allocator_.claims().find_derived(ask, name);
  if (expression == nullptr) return find_attribute(slice, device, name);
  std::unique_ptr<Derived>& known = derived_[{candidate, *expression->text}];
  if (known) return &*known->attribute;
  if (!*expression->compiled) {
    return std::unexpected(fmt::format("compile derived attribute {} failed: {}", name,
                                       expression->compiled->error()));
  }
  auto value = (**expression->compiled)->evaluate(slice.view_of(device));
  if (!value) {
    return std::unexpected(fmt::format("evaluate derived attribute {} on device {} failed: {}",
                                       name, slice.id_of(device).str(), value.error()));
  }
  known = std::make_unique<Derived>(std::move(*value));
  expose(*known, name);
  return &*known->attribute;
}

// Makes an attribute that views the value.
void Candidates::expose(Derived& derived, std::string_view name) {
  using cel::Attribute;
  const bool is_version = derived.value.is_version;
  const auto visit = [&]<class T>(const T& value) -> Attribute {
    if constexpr (std::is_same_v<T, bool>) {
      return Attribute::boolean(name, value);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return Attribute::integer(name, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return is_version ? Attribute::version(name, value) : Attribute::string(name, value);
    } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
      derived.flags = std::make_unique<bool[]>(value.size());
      std::ranges::copy(value, derived.flags.get());
      return Attribute::booleans(name, {derived.flags.get(), value.size()});
    } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      return Attribute::integers(name, value);
    } else {
      derived.texts.assign(value.begin(), value.end());
      return is_version ? Attribute::versions(name, derived.texts)
                        : Attribute::strings(name, derived.texts);
    }
  };
  derived.attribute = std::visit(visit, derived.value.value);
}

}  // namespace dcm::allocation
