#include "explain/devices/obstacle_words.hpp"

#include <utility>

#include <fmt/format.h>

#include "controllers/common/explanation.hpp"
#include "runtime/one_line.hpp"
#include "runtime/overloaded.hpp"

namespace dcm::explain {
namespace {

using allocation::CapacityObstacle;
using allocation::Claim;
using allocation::SelectorObstacle;

constexpr std::size_t kNamedMax = 3;
constexpr std::size_t kSelectorTextMax = 160;

std::string shortened(std::string text, std::size_t max) {
  if (text.size() <= max) return text;
  return std::string(runtime::cut_utf8(text, max)) + "…";
}

// `kind: variant`, or the kind alone.
ObstacleWords with(std::string kind, std::string variant) {
  std::string whole = variant.empty() ? kind : fmt::format("{}: {}", kind, variant);
  return {std::move(kind), std::move(variant), std::move(whole)};
}

ObstacleWords plain(std::string kind) {
  return with(std::move(kind), "");
}

ObstacleWords words(const allocation::PoolObstacle& pool) {
  using enum allocation::Pool::State;
  if (pool.state == incomplete) {
    return plain(fmt::format("in an incomplete pool ({} of {} ResourceSlices are published)",
                             pool.slices_found, pool.slices_expected));
  }
  if (pool.state == invalid) return with("in a pool that contradicts itself", pool.why);
  return plain("in a pool whose newer generation is being published");
}

ObstacleWords words(const SelectorObstacle& selector) {
  const std::string& text = selector.part.empty() ? selector.expression : selector.part;
  const std::string verb = selector.error.empty() ? "not matching" : "an error for";
  std::string met = describe_met(selector.met);
  if (met.empty() && !selector.error.empty()) met = selector.error;
  return with(fmt::format("{} {}, {}", verb, describe_selector(selector),
                          shortened(text, kSelectorTextMax)),
              std::move(met));
}

ObstacleWords words(const allocation::CounterShortage& counter, const std::string& users) {
  std::string variant =
      fmt::format("{} needed, {} left", counter.wanted.text(), counter.available.text());
  if (!users.empty()) variant += ", the rest is used by " + users;
  return with(fmt::format("short of counter \"{}\" in counter set \"{}\"", counter.counter.str(),
                          counter.set.str()),
              std::move(variant));
}

ObstacleWords words(const CapacityObstacle& capacity, const std::string& users) {
  using enum CapacityObstacle::Kind;
  if (capacity.kind == missing && !capacity.published_as.empty()) {
    return plain(
        fmt::format("without capacity {} (it is published as {}, and kube-scheduler "
                    "compares these names literally)",
                    capacity.name, capacity.published_as));
  }
  if (capacity.kind == missing) return plain(fmt::format("without capacity {}", capacity.name));
  if (capacity.kind == refused) {
    return plain(fmt::format("not offering {} of capacity {} (its request policy)",
                             capacity.wanted.text(), capacity.name));
  }
  std::string variant = fmt::format("it has {}", capacity.has.text());
  if (!users.empty() && capacity.consumed.sign() > 0) {
    variant += fmt::format(", of which {} is consumed by {}", capacity.consumed.text(), users);
  }
  return with(fmt::format("too small for {} of capacity {}", capacity.wanted.text(), capacity.name),
              std::move(variant));
}

ObstacleWords words(const allocation::TaintObstacle& taint, const api::DeviceId& id) {
  const std::string source = taint.rule.empty() ? fmt::format("driver {}", id.driver.str())
                                                : fmt::format("DeviceTaintRule \"{}\"", taint.rule);
  return plain(fmt::format("tainted {} by {}", describe(taint.taint), source));
}

ObstacleWords words(const allocation::ConstraintObstacle& constraint) {
  return with(
      fmt::format("lacking attribute {} of constraint #{}", constraint.attribute, constraint.index),
      constraint.error);
}

}  // namespace

std::string describe(const allocation::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key.str(), taint.value.empty() ? "" : "=",
                     taint.value.str(), to_word(taint.effect));
}

std::string describe_met(const std::vector<std::pair<std::string, std::string>>& met) {
  std::vector<std::string> parts;
  parts.reserve(met.size());
  for (const auto& [expression, value] : met) {
    parts.push_back(fmt::format("{} is {}", expression, value));
  }
  return common::enumerate(parts);
}

std::string describe_selector(const SelectorObstacle& selector) {
  return selector.class_name.empty()
             ? fmt::format("selector #{} of the request", selector.index)
             : fmt::format("selector #{} of class \"{}\"", selector.index, selector.class_name);
}

bool Wording::may_name(const Claim& claim) const {
  return question_.names == Names::all || claim.meta.key.namespace_ == question_.namespace_;
}

std::string Wording::consumers(const Claim& claim) const {
  if (!may_name(claim)) return {};
  std::vector<std::string> names;
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    names.push_back(
        fmt::format("{} {}/{}", consumer.word(), claim.meta.key.namespace_.str(), consumer.name));
  }
  return common::enumerate(names, kNamedMax);
}

std::string Wording::claim(const Claim& claim) const {
  if (!may_name(claim)) return "a claim of another namespace";
  const std::string pods = consumers(claim);
  return fmt::format("claim {}{}{}", claim.meta.key.str(),
                     pods.empty() ? ", which no pod uses" : " of " + pods,
                     claim.meta.is_being_deleted ? ", which is being deleted" : "");
}

// Thousands of claims may share a device: only the first ones need their words.
std::string Wording::claims(std::span<const Claim* const> claims) const {
  std::vector<std::string> names;
  bool has_hidden = false;
  for (const Claim* const each : claims) {
    const bool is_hidden = !may_name(*each);
    if (is_hidden && has_hidden) continue;
    has_hidden |= is_hidden;
    names.push_back(names.size() <= kNamedMax ? claim(*each) : std::string());
  }
  return common::enumerate(names, kNamedMax);
}

std::string Wording::name(std::size_t claim, std::string_view name) const {
  std::string text = fmt::format("\"{}\"", name);
  if (question_.claims.size() < 2 || claim >= question_.claims.size()) return text;
  const Claim* const asked = question_.claims[claim];
  if (asked == question_.extended.claim.get()) return text;
  return text + fmt::format(" of claim \"{}\"", asked->meta.key.name);
}

std::string Wording::request(std::size_t claim, std::string_view name) const {
  std::string text = fmt::format("request \"{}\"", name);
  if (claim >= question_.claims.size()) return text;
  const Claim& asked = *question_.claims[claim];
  if (question_.is_of_pod) text += fmt::format(" of claim \"{}\"", asked.meta.key.name);
  for (const allocation::Request& request : asked.spec.requests) {
    for (const allocation::Ask& ask : request.asks) {
      if (request.name_of(ask) != name) continue;
      if (&asked == question_.extended.claim.get()) return extended_request(ask);
      std::string what = fmt::format("class \"{}\"", ask.device_class);
      for (const allocation::SelectorText& selector : ask.selectors) {
        if (selector) {
          what += ", " + shortened(*selector, kSelectorTextMax);
        }
      }
      return fmt::format("{} ({})", text, what);
    }
  }
  return text;
}

std::string Wording::extended_request(const allocation::Ask& ask) const {
  std::vector<std::string> containers;
  std::string resource;
  for (const allocation::RequestMapping& mapping : question_.extended.mappings) {
    if (mapping.request != ask.name) continue;
    resource = mapping.resource;
    containers.push_back(fmt::format("\"{}\"", mapping.container));
  }
  return fmt::format("extended resource {} of container{} {} (request \"{}\", class \"{}\")",
                     resource, containers.size() == 1 ? "" : "s",
                     common::enumerate(containers, kNamedMax), ask.name, ask.device_class);
}

std::optional<ObstacleWords> Wording::describe(const allocation::DeviceExplanation& device) const {
  using Words = std::optional<ObstacleWords>;
  const auto held = [&] {
    const std::string by = claims(inventory_.holders(device.id));
    return ObstacleWords{"held by another claim", by, fmt::format("held by {}", by)};
  };
  return std::visit(
      runtime::Overloaded{
          [](const std::monostate&) { return Words(); },
          [](const allocation::OtherNodeObstacle&) { return Words(plain("for other nodes")); },
          [&](const allocation::HeldObstacle&) { return Words(held()); },
          [](const allocation::UnsupportedObstacle& what) {
            return Words(plain(fmt::format("in need of feature {}, which is off", what.feature)));
          },
          [&](const CapacityObstacle& capacity) {
            return Words(words(capacity, claims(inventory_.holders(device.id))));
          },
          [](const allocation::CapacityError& error) {
            return Words(with("an error for the request's capacity", error.text));
          },
          [&](const allocation::CounterShortage& counter) {
            const allocation::PoolId pool{device.id.driver, device.id.pool};
            return Words(words(counter, claims(inventory_.users_of(pool, counter.set))));
          },
          [](const allocation::GroupObstacle&) {
            return Words(plain("of no compatibility group that the devices in use have"));
          },
          [&](const allocation::TaintObstacle& taint) { return Words(words(taint, device.id)); },
          [](const auto& other) { return Words(words(other)); }},
      device.obstacle);
}

}  // namespace dcm::explain
