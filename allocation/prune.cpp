#include "allocation/prune.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

using Status = Search::Status;

// Most searches end with fewer steps. kube-scheduler takes about 10 ms for this many steps.
constexpr std::uint64_t kPlainSteps = 2'000;
// Detects a request or claim that cannot be satisfied even if it is the only one.
constexpr std::uint64_t kAloneSteps = 20'000;

template <class OnAsk>
bool for_each_ask(Allocator& allocator, OnAsk&& on_ask) {
  for (PreparedClaim& claim : allocator.claims().claims()) {
    for (PreparedRequest& request : claim.requests) {
      for (PreparedAsk& ask : request.asks) {
        if (!on_ask(claim, ask)) return false;
      }
    }
  }
  return true;
}

// Evaluates every selector and capacity for every device that may be tried.
bool may_fail(Allocator& allocator, Candidates& candidates, const Options& options) {
  return !for_each_ask(allocator, [&](PreparedClaim& claim, PreparedAsk& ask) {
    if (!ask.derived.empty() || (ask.ask->is_all() && !ask.constraints.empty())) return false;
    for (std::size_t i = 0; i < candidates.all().size(); ++i) {
      const Candidate& candidate = candidates.all()[i];
      if (candidate.is_allocated && !ask.ask->has_admin_access()) continue;
      if (options.is_over()) return false;
      const auto is_selected = candidates.is_selected(claim, ask, i);
      if (!is_selected) return false;
      if (*is_selected && !candidates.consumption(claim, ask, candidate)) return false;
    }
    return true;
  });
}

std::string describe(const std::optional<Quantity>& quantity) {
  return quantity ? quantity->text() : "-";
}

// All capacities count for a device that several claims may share.
std::string describe_shared(const Device& device, const Amounts* consumed) {
  std::string text;
  for (std::size_t i = 0; i < device.capacity.size(); ++i) {
    const auto name = device.capacity[i].qualified_name();
    text += fmt::format("{}={}", name, device.capacity[i].value().text());
    if (const RequestPolicy* const policy = device.policy(i)) {
      const CapacityRange range = policy->valid_range.value_or(CapacityRange());
      text +=
          fmt::format("|{}|{}{}|{}|{}", describe(policy->default_), policy->valid_range ? "r" : "",
                      describe(range.min), describe(range.max), describe(range.step));
      for (const Quantity& value : policy->valid_values) text += "," + value.text();
    }
    if (consumed == nullptr) continue;
    const auto used = consumed->find(name);
    if (used != consumed->end()) text += "-" + used->second.text();
  }
  return text;
}

std::string describe_counters(const Candidate& candidate) {
  std::string text;
  for (const CounterUse& use : candidate.device->extras().counters) {
    text += fmt::format("{}:{}", candidate.pool, use.set.str());
    for (const Counter& counter : use.counters)
      text += fmt::format(",{}={}", counter.name.str(), counter.value.text());
    for (const InternedString& group : use.compatibility_groups) text += "+" + group.str();
  }
  return text;
}

std::string describe(const cel::Attribute* attribute) {
  using enum cel::Attribute::Kind;
  if (attribute == nullptr) return "none";
  const auto kind = static_cast<int>(attribute->kind());
  switch (attribute->kind()) {
    case boolean:
      return fmt::format("{}:{}", kind, attribute->as_boolean());
    case integer:
      return fmt::format("{}:{}", kind, attribute->as_integer());
    case string:
    case version:
    case malformed_version:
      return fmt::format("{}:{}", kind, attribute->as_text());
    default:  // lists: each is unique
      return fmt::format("{}:{}", kind, static_cast<const void*>(attribute));
  }
}

// Equal numbers: the devices are interchangeable.
std::vector<std::uint32_t> classes_of(Allocator& allocator, Candidates& candidates,
                                      const Options& options) {
  const Usage& usage = allocator.cluster().usage;
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> classes;
  for (std::size_t i = 0; i < candidates.all().size(); ++i) {
    const Candidate& candidate = candidates.all()[i];
    const auto id = candidate.slice->id_of(*candidate.device);
    std::string text =
        fmt::format("{}{};", candidate.is_allocated, candidates.is_supported(candidate));
    if (candidates.is_shared(*candidate.device)) {
      text += fmt::format("s{}", usage.is_shared(id)) +
              describe_shared(*candidate.device, usage.consumed(id));
    }
    text += ";" + describe_counters(candidate);
    for_each_ask(allocator, [&](PreparedClaim& claim, PreparedAsk& ask) {
      // When the time is up, the search that follows ends at once.
      const bool is_selected =
          !options.is_over() && candidates.is_selected(claim, ask, i).value_or(false);
      const auto fits = candidates.consumption(claim, ask, candidate);
      text += fmt::format(";{}{}{}", is_selected, fits && fits->has_value(),
                          candidates.taint(ask, candidate).has_value());
      return true;
    });
    for (const PreparedClaim& claim : allocator.claims().claims()) {
      for (const Constraint& constraint : claim.claim.spec.constraints) {
        // With its length: a text may contain what separates it from the next one.
        const std::string value =
            describe(find_attribute(*candidate.slice, *candidate.device, constraint.attribute));
        text += fmt::format(";{}:{}", value.size(), value);
      }
    }
    classes.push_back(numbers.try_emplace(std::move(text), numbers.size()).first->second);
  }
  return classes;
}

bool is_impossible(Search& search, Search::At from, Search::At end) {
  search.restart(kAloneSteps);
  const Status outcome = search.run(from, end);
  return outcome != Status::found && outcome != Status::error;
}

// If the search fails with all devices free, it fails after any choice for the other parts.
bool has_impossible_part(Search& search, Allocator& allocator) {
  const auto& claims = allocator.claims().claims();
  for (std::size_t claim = claims.size(); claim-- > 0;) {
    for (std::size_t request = claims[claim].requests.size(); request-- > 0;) {
      if (is_impossible(search, {claim, request}, {claim, request + 1})) return true;
    }
    if (claims.size() > 1 && is_impossible(search, {claim, 0}, {claim + 1, 0})) return true;
  }
  return false;
}

}  // namespace

Status search_pruned(Search& search, Candidates& candidates, Allocator& allocator,
                     const Options& options) {
  search.restart(std::min(kPlainSteps, options.steps_max));
  const Status outcome = search.run();
  if (!search.is_out_of_steps() || options.steps_max <= kPlainSteps) return outcome;
  if (!may_fail(allocator, candidates, options)) {
    search.skip_equals(classes_of(allocator, candidates, options));
    const bool is_hopeless = has_impossible_part(search, allocator);
    const auto& error = search.error();
    if (is_hopeless) return Status::failed;
    if (error && !search.is_out_of_steps()) return Status::error;  // the time is up
  }
  search.restart(options.steps_max);
  return search.run();
}

}  // namespace dcm::allocation
