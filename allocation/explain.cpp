#include "allocation/explain.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocation/candidates.hpp"
#include "allocation/constraints.hpp"
#include "cel/trace.hpp"

namespace dcm::allocation {
namespace {

// The part of the selector that decided, and the values that it saw.
void trace(PreparedSelector& selector, const Slice& slice, const Device& device,
           SelectorObstacle& out) {
  if (!selector.compiled || !*selector.compiled) return;
  if (!selector.trace)
    selector.trace = std::make_shared<const cel::SelectorTrace>(***selector.compiled);
  cel::Reason reason = selector.trace->why(slice.view_of(device));
  out.part = std::move(reason.part);
  for (cel::Met& met : reason.met)
    out.met.emplace_back(std::move(met.expression), std::move(met.value));
}

// Judges the devices of one request, with nothing taken for other requests.
class RequestExplainer {
 public:
  RequestExplainer(Allocator& allocator, Candidates& candidates, const PreparedClaim& claim,
                   PreparedAsk& ask)
      : allocator_(allocator), candidates_(candidates), claim_(claim), ask_(ask) {}

  Obstacle obstacle(std::size_t index) {
    const Candidate& candidate = candidates_.all()[index];
    Obstacle found = property(candidate);
    if (is_none(found)) found = support(candidate);
    if (is_none(found)) found = constraints(index);
    if (is_none(found) && candidate.is_allocated && !ask_.ask->has_admin_access())
      found = HeldObstacle();
    if (is_none(found)) found = capacity(candidate, usage_of(candidate));
    if (is_none(found)) found = counters(candidate);
    return is_none(found) ? taint(candidate) : found;
  }

  // Why the request would not want the device even if it were free.
  Obstacle property(const Candidate& candidate) {
    Obstacle found = own_nodes(candidate);
    if (is_none(found)) found = selectors(candidate);
    return is_none(found) ? capacity(candidate, nullptr) : found;
  }

  static bool is_none(const Obstacle& obstacle) {
    return std::holds_alternative<std::monostate>(obstacle);
  }

 private:
  Obstacle own_nodes(const Candidate& candidate) const {
    if (!candidate.slice->has_per_device_nodes()) return {};
    const auto reached = reaches(candidate.device->extras().nodes, candidates_.node());
    return reached.value_or(false) ? Obstacle() : OtherNodeObstacle();
  }

  Obstacle selectors(const Candidate& candidate) {
    const auto& [slice, device, pool, is_allocated, taken, shares, consumed] = candidate;
    if (!candidates_.features().binding_conditions &&
        !device->extras().binding_conditions.empty()) {
      return UnsupportedObstacle("DRADeviceBindingConditions");
    }
    SelectorVerdict verdict = allocator_.claims().select(claim_, ask_, *slice, *device);
    if (verdict.kind == SelectorVerdict::Kind::matches) return {};
    PreparedSelector& selector = *verdict.selector;
    SelectorObstacle out{selector.is_of_class ? ask_.device_class->meta.key.name.str() : "",
                         selector.index,
                         selector.text->value_or(""),  // a kind of selector that is unknown
                         std::move(verdict.error)};
    trace(selector, *slice, *device, out);
    return out;
  }

  const Amounts* usage_of(const Candidate& candidate) const {
    return allocator_.cluster().usage.consumed(candidate.slice->id_of(*candidate.device));
  }

  // With that much of the device in use; null: nothing.
  Obstacle capacity(const Candidate& candidate, const Amounts* used) const {
    if (!candidates_.features().consumable_capacity) return {};
    const bool is_fractional = candidates_.features().fractional_capacity_range;
    const Device& device = *candidate.device;
    const auto wanted = consumption_of(*ask_.ask, device, is_fractional);
    if (!wanted && missing_capacity(*ask_.ask, device) == nullptr)
      return CapacityError(wanted.error());
    auto found = capacity_obstacle(*ask_.ask, device, wanted.value_or(Consumption()), used, {},
                                   is_fractional);
    if (found && found->kind == CapacityObstacle::Kind::missing) {
      found->published_as = other_name(found->name, candidate);
    }
    return found ? Obstacle(std::move(*found)) : Obstacle();
  }

  // The name that the device has for this capacity, with the driver's domain or without; empty if
  // it has none. Attributes and CEL take both names for one, requests for capacity do not.
  static std::string other_name(std::string_view name, const Candidate& candidate) {
    const std::string domain = candidate.slice->driver.str() + "/";
    const std::string other = name.starts_with(domain) ? std::string(name.substr(domain.size()))
                                                       : domain + std::string(name);
    const auto& capacity = candidate.device->capacity;
    const bool has = std::ranges::any_of(
        capacity, [&](const cel::Capacity& each) { return each.qualified_name() == other; });
    return has ? other : std::string();
  }

  Obstacle support(const Candidate& candidate) const {
    if (candidates_.is_supported(candidate)) return {};
    const bool is_skipping = !candidate.slice->skip_node_operations.empty();
    return UnsupportedObstacle(is_skipping ? "DRAOptionalNodeOperations"
                                           : "DRAPartitionableDevices");
  }

  Obstacle counters(const Candidate& candidate) {
    if (candidate.device->extras().counters.empty() || candidates_.has_counters(candidate))
      return {};
    if (candidates_.take_counters(candidate)) {
      candidates_.give_back_counters(candidate);
      return {};
    }
    auto shortage = candidates_.counters(candidate.pool).take(*candidate.device);
    if (shortage) return std::move(*shortage);
    candidates_.counters(candidate.pool).give_back(*candidate.device);
    return GroupObstacle();
  }

  Obstacle taint(const Candidate& candidate) const {
    const auto found = candidates_.taint(ask_, candidate);
    return found ? Obstacle(TaintObstacle{*found->taint, found->rule ? found->rule->name : ""})
                 : Obstacle();
  }

  Obstacle constraints(std::size_t index) {
    for (const std::size_t constraint : ask_.constraints) {
      const std::string& name = claim_.claim.spec.constraints[constraint].attribute;
      const auto attribute = candidates_.attribute(ask_, index, name);
      if (!attribute) return ConstraintObstacle{constraint, name, attribute.error()};
      if (*attribute == nullptr) return ConstraintObstacle{constraint, name};
    }
    return {};
  }

  Allocator& allocator_;
  Candidates& candidates_;
  const PreparedClaim& claim_;
  PreparedAsk& ask_;
};

class NodeExplainer {
 public:
  NodeExplainer(Allocator& allocator, Candidates& candidates, const Options& options,
                NodeExplanation& out)
      : allocator_(allocator), candidates_(candidates), options_(options), out_(out) {}

  void explain() {
    explain_all();
    if (!out_.is_cut_short) return;
    out_.requests.clear();
    out_.constraints.clear();
  }

 private:
  void explain_all() {
    auto& claims = allocator_.claims().claims();
    for (std::size_t i = 0; i < claims.size(); ++i) {
      for (std::size_t k = 0; k < claims[i].claim.spec.constraints.size(); ++k) {
        const Constraint& constraint = claims[i].claim.spec.constraints[k];
        out_.constraints.push_back(
            {i, k, constraint.kind == Constraint::Kind::match_attribute, constraint.attribute});
      }
      for (PreparedRequest& request : claims[i].requests) {
        for (PreparedAsk& ask : request.asks) explain(i, request.fault, ask);
      }
    }
  }

  void explain(std::size_t claim, const std::optional<RequestFault>& fault, PreparedAsk& ask) {
    RequestExplanation& out = out_.requests.emplace_back(RequestExplanation{
        claim, ask.name, ask.ask->count, ask.ask->is_all(), fault ? fault : ask.fault});
    if (out.fault) return;
    RequestExplainer explainer(allocator_, candidates_, allocator_.claims().claims()[claim], ask);
    std::int64_t meant = 0;
    for (std::size_t i = 0; i < candidates_.all().size(); ++i) {
      if (options_.is_over()) out_.is_cut_short = true;
      if (out_.is_cut_short) return;
      const Candidate& candidate = candidates_.all()[i];
      Obstacle obstacle = explainer.obstacle(i);
      if (RequestExplainer::is_none(obstacle)) note_values(claim, ask, i);
      if (out.is_all && is_meant(claim, ask, candidate, obstacle)) ++meant;
      out.devices.push_back({candidate.slice->id_of(*candidate.device), std::move(obstacle),
                             candidate.device->allow_multiple});
    }
    note_shortage(out);
    explain_pools(explainer, out.devices);
    if (out.is_all) out.wanted = meant;
  }

  // Devices of unusable pools are no candidates.
  void explain_pools(RequestExplainer& explainer, std::vector<DeviceExplanation>& out) {
    for (std::size_t i = 0; i < candidates_.pools().size(); ++i) {
      const Pool& pool = candidates_.pools()[i];
      if (pool.state == Pool::State::usable) continue;
      const PoolObstacle unusable{pool.state, pool.slices_found, pool.slices_expected,
                                  pool.why_invalid};
      for (const Slice* const slice : pool.slices) {
        for (const Device& device : slice->devices) {
          if (options_.is_over()) out_.is_cut_short = true;
          if (out_.is_cut_short) return;
          Obstacle found = explainer.property({slice, &device, i, false});
          // kube-scheduler does not evaluate a selector there: it cannot fail.
          const auto* const selector = std::get_if<SelectorObstacle>(&found);
          const bool is_error = selector != nullptr && !selector->error.empty();
          if (RequestExplainer::is_none(found) || is_error) found = unusable;
          out.push_back({slice->id_of(device), std::move(found)});
        }
      }
    }
  }

  // Whether a request for all devices wants this one, too. Whether it is free does not matter.
  bool is_meant(std::size_t claim, const PreparedAsk& ask, const Candidate& candidate,
                const Obstacle& obstacle) const {
    if (std::holds_alternative<SelectorObstacle>(obstacle) ||
        std::holds_alternative<OtherNodeObstacle>(obstacle)) {
      return false;
    }
    const auto consumed =
        candidates_.consumption(allocator_.claims().claims()[claim], ask, candidate, true);
    return consumed && *consumed;
  }

  // Takes the counters of all usable devices, as far as they suffice.
  void note_shortage(RequestExplanation& out) {
    std::vector<const Candidate*> taken;
    for (std::size_t i = 0; i < candidates_.all().size() && !out.shortage; ++i) {
      const Candidate& candidate = candidates_.all()[i];
      const bool needs_counters =
          !candidate.device->extras().counters.empty() && !candidates_.has_counters(candidate);
      if (!needs_counters || !RequestExplainer::is_none(out.devices[i].obstacle)) continue;
      out.shortage = candidates_.counters(candidate.pool).take(*candidate.device);
      if (!out.shortage) taken.push_back(&candidate);
    }
    for (const Candidate* const candidate : taken) {
      candidates_.counters(candidate->pool).give_back(*candidate->device);
    }
  }

  void note_values(std::size_t claim, PreparedAsk& ask, std::size_t candidate) {
    for (ConstraintExplanation& constraint : out_.constraints) {
      const bool concerns =
          constraint.claim == claim &&
          std::ranges::find(ask.constraints, constraint.index) != ask.constraints.end();
      if (!concerns) continue;
      const auto& [slice, device, pool, is_allocated, taken, shares, consumed] =
          candidates_.all()[candidate];
      const auto attribute = candidates_.attribute(ask, candidate, constraint.attribute);
      if (!attribute || *attribute == nullptr) continue;
      std::pair value(slice->id_of(*device), describe(**attribute));
      const bool is_new = noted_.emplace(claim, constraint.index, value).second;
      if (is_new) constraint.values.push_back(std::move(value));
    }
  }

  Allocator& allocator_;
  Candidates& candidates_;
  const Options& options_;
  NodeExplanation& out_;
  // What is in ConstraintExplanation::values, by claim and constraint: several requests may offer
  // the same devices.
  std::set<std::tuple<std::size_t, std::size_t, std::pair<api::DeviceId, std::string>>> noted_;
};

}  // namespace

bool is_matching(const Obstacle& obstacle) {
  if (const auto* const capacity = std::get_if<CapacityObstacle>(&obstacle)) {
    return capacity->kind == CapacityObstacle::Kind::too_small && capacity->consumed.sign() > 0;
  }
  return std::holds_alternative<std::monostate>(obstacle) ||
         std::holds_alternative<PoolObstacle>(obstacle) ||
         std::holds_alternative<HeldObstacle>(obstacle) ||
         std::holds_alternative<TaintObstacle>(obstacle) ||
         std::holds_alternative<CounterShortage>(obstacle);
}

std::size_t RequestExplanation::usable() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(devices, [](const DeviceExplanation& device) {
        return std::holds_alternative<std::monostate>(device.obstacle);
      }));
}

std::string describe(const cel::Attribute& attribute) {
  using enum cel::Attribute::Kind;
  switch (attribute.kind()) {
    case boolean:
      return attribute.as_boolean() ? "true" : "false";
    case integer:
      return fmt::format("{}", attribute.as_integer());
    case string:
    case version:
    case malformed_version:
      return fmt::format("\"{}\"", attribute.as_text());
    case booleans:
      return fmt::format("[{}]", fmt::join(attribute.as_booleans(), ", "));
    case integers:
      return fmt::format("[{}]", fmt::join(attribute.as_integers(), ", "));
    case strings:
    case versions:
    case malformed_versions:
      return fmt::format("[\"{}\"]", fmt::join(attribute.as_texts(), "\", \""));
    case unsupported:
      break;
  }
  return "of an unknown type";
}

NodeExplanation explain_node(Allocator& allocator, const Node& node, const Options& options) {
  NodeExplanation out;
  Allocation allocation = allocator.allocate(node, options);
  out.fits = allocation.fits;
  out.error = std::move(allocation.error);
  auto pools = gather_pools(allocator.cluster().slices, node, allocator.cluster().features);
  if (!pools) return out;
  Candidates candidates(allocator, node, std::move(*pools));
  NodeExplainer(allocator, candidates, options, out).explain();
  return out;
}

}  // namespace dcm::allocation
