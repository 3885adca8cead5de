#include "explain/devices/try_out.hpp"

#include <algorithm>
#include <utility>

#include "runtime/overloaded.hpp"

namespace dcm::explain {
namespace {

using allocation::Claim;
using allocation::ClaimSpec;
using allocation::ClaimView;
using allocation::Node;
using allocation::NodeExplanation;
using allocation::Toleration;

// Changes on one node; more are not tried.
constexpr std::size_t kChangesMax = 128;
// Alternatives worth a sentence.
constexpr std::size_t kAlternativesMax = 3;

std::vector<ClaimView> views_of(const std::vector<const Claim*>& claims) {
  std::vector<ClaimView> views;
  views.reserve(claims.size());
  for (const Claim* const claim : claims) views.push_back({claim->meta.key, claim->spec});
  return views;
}

void tolerate(const allocation::Taint& taint, ClaimSpec& spec) {
  for (allocation::Request& request : spec.requests) {
    for (allocation::Ask& ask : request.asks) {
      ask.tolerations.push_back(
          {taint.key, Toleration::Operator::equal, taint.value, taint.effect});
      ask.toleration_texts.emplace_back();
    }
  }
}

void add(Change change, std::vector<Change>& changes) {
  if (changes.size() > kChangesMax) return;  // too many already
  const auto known =
      std::ranges::find_if(changes, [&](const Change& each) { return each.is_same(change); });
  if (known == changes.end()) return changes.push_back(std::move(change));
  for (std::string& device : change.devices) {
    if (std::ranges::find(known->devices, device) == known->devices.end()) {
      known->devices.push_back(std::move(device));
    }
  }
}

}  // namespace

TryOut::TryOut(DeviceInventory& inventory, const DeviceQuestion& question)
    : inventory_(inventory),
      question_(question),
      claims_(views_of(question.claims)),
      allocator_(
          inventory.cluster(), claims_,
          [&inventory](const std::string& name) { return inventory.find_class(name); }, compiler_) {
}

allocation::Options TryOut::options() const {
  return {.steps_max = question_.steps_max, .is_time_up = question_.is_time_up, .new_share_id = [] {
            return std::string("share");
          }};
}

NodeExplanation TryOut::explain(const Node& node) {
  return allocation::explain_node(allocator_, node, options());
}

template <class Use>
auto TryOut::with(std::span<const Change> changes, Use use) {
  std::vector<ClaimSpec> specs;
  for (const ClaimView& claim : claims_) specs.push_back(claim.spec);
  for (const Change& change : changes) {
    if (change.release != nullptr) inventory_.release(*change.release);
    if (!change.untaint) continue;
    for (ClaimSpec& spec : specs) tolerate(*change.untaint, spec);
  }
  std::vector<ClaimView> views;
  for (std::size_t i = 0; i < specs.size(); ++i) views.push_back({claims_[i].key, specs[i]});
  allocation::Allocator allocator(
      inventory_.cluster(), views,
      [this](const std::string& name) { return inventory_.find_class(name); }, compiler_);
  auto result = use(allocator);
  for (const Change& change : changes) {
    if (change.release != nullptr) inventory_.hold(*change.release);
  }
  return result;
}

bool TryOut::fits(const Node& node, std::span<const Change> changes) {
  if (question_.is_time_up()) return false;
  return with(changes, [&](allocation::Allocator& allocator) {
    return allocator.allocate(node, options()).fits;
  });
}

bool TryOut::add_changes(const NodeExplanation& explanation, Changes& changes) const {
  const std::size_t before = changes.size();
  const auto release = [&](std::span<const Claim* const> claims) {
    for (const Claim* const claim : claims) {
      const bool is_own =
          std::ranges::find(question_.allocated, claim) != question_.allocated.end();
      if (!is_own) add({.release = claim}, changes);
    }
  };
  for (const allocation::RequestExplanation& request : explanation.requests) {
    for (const allocation::DeviceExplanation& device : request.devices) {
      if (!is_matching(device.obstacle)) continue;
      std::visit(
          runtime::Overloaded{
              [&](const allocation::HeldObstacle&) { release(inventory_.holders(device.id)); },
              [&](const allocation::CapacityObstacle&) { release(inventory_.holders(device.id)); },
              [&](const allocation::CounterShortage& counter) {
                release(inventory_.users_of({device.id.driver, device.id.pool}, counter.set));
              },
              [&](const allocation::TaintObstacle& taint) {
                add({.untaint = taint.taint,
                     .rule = taint.rule,
                     .devices = {device.id.device.str()}},
                    changes);
              },
              [](const auto&) {}},
          device.obstacle);
    }
  }
  return changes.size() > before;
}

std::optional<Freed> TryOut::free_all(const Node& node) {
  Freed freed;
  while (!question_.is_time_up() && freed.changes.size() <= kChangesMax) {
    freed.explanation = with(freed.changes, [&](allocation::Allocator& allocator) {
      return allocation::explain_node(allocator, node, options());
    });
    if (freed.explanation.fits) return freed;
    const auto& error = freed.explanation.error;
    if (freed.explanation.is_cut_short || (error && !error->is_only_this_node)) return std::nullopt;
    if (!add_changes(freed.explanation, freed.changes)) return freed;
  }
  return std::nullopt;
}

void TryOut::complete_devices(const Node& node, Changes& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i].untaint) continue;
    Changes others = changes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const NodeExplanation explanation = with(others, [&](allocation::Allocator& allocator) {
      return allocation::explain_node(allocator, node, options());
    });
    Changes found;
    add_changes(explanation, found);
    for (Change& change : found) {
      if (change.is_same(changes[i])) changes[i].devices = std::move(change.devices);
    }
  }
}

Remedy TryOut::find_remedy(const Node& node) {
  std::optional<Freed> freed = free_all(node);
  if (!freed || !freed->explanation.fits) return {};
  Changes& changes = freed->changes;
  Remedy remedy;
  for (const Change& change : changes) {
    if (remedy.changes.size() == kAlternativesMax) {
      remedy.has_others = true;
      break;
    }
    if (fits(node, {&change, 1})) remedy.changes.push_back(change);
  }
  if (!remedy.changes.empty()) {
    remedy.need = Remedy::Need::any_of_them;
    return remedy;
  }
  for (std::size_t i = changes.size(); i-- > 0 && !question_.is_time_up();) {
    Changes without = changes;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (!fits(node, without)) continue;
    changes = std::move(without);
    remedy.has_others = true;
  }
  complete_devices(node, changes);
  // All changes are named only if they were all tried in time.
  if (!question_.is_time_up()) remedy.changes = std::move(changes);
  return remedy;
}

}  // namespace dcm::explain
