#include "cmd/dra-playground/cluster/inventory.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace dcm::playground {
namespace {

// The most devices that an allocation can have (AllocationResultsMaxSize).
constexpr std::size_t kResultsMax = 32;

// Combinations that are tried before a node is given up: with requests that differ only in what
// they tolerate, the first ones nearly always do.
constexpr int kTriesMax = 20'000;

// Every part that the selector has must be equal; what we do not know of it matches nothing.
bool selects(const api::DeviceTaintRule& rule, const api::DeviceId& id) {
  if (!rule.selector || !rule.unknown_selector_field.empty()) return false;
  const api::DeviceSelector& wanted = *rule.selector;
  return (wanted.driver.empty() || wanted.driver == id.driver) &&
         (wanted.pool.empty() || wanted.pool == id.pool) &&
         (wanted.device.empty() || wanted.device == id.device);
}

// The first field of a pool that is not known here; empty: all are known.
std::string unknown_of(const Slice& slice) {
  if (slice.devices.empty()) return {};
  if (!slice.unknown.empty())
    return fmt::format("{} of slice {}", slice.unknown, slice.meta.key.name);
  for (const SliceDevice& device : slice.devices) {
    if (!device.unknown.empty()) {
      return fmt::format("{} of device {}/{}/{}", device.unknown, slice.driver.str(),
                         slice.pool.str(), device.name.str());
    }
  }
  return {};
}

// A name that is there twice; empty: none.
std::string repeated_name(const std::vector<const Slice*>& slices) {
  std::set<InternedString> names;
  for (const Slice* const slice : slices) {
    for (const SliceDevice& device : slice->devices) {
      if (!names.insert(device.name).second) return device.name.str();
    }
  }
  return {};
}

// `slices`: those of a pool's newest generation.
std::optional<PoolTrouble> trouble_of(const std::vector<const Slice*>& slices) {
  using enum PoolTrouble::Kind;
  const std::string pool =
      fmt::format("pool {}/{}", slices[0]->driver.str(), slices[0]->pool.str());
  if (std::cmp_not_equal(slices.size(), slices[0]->slice_count)) {
    return PoolTrouble{unusable, fmt::format("{} has {} of {} slices", pool, slices.size(),
                                             slices[0]->slice_count)};
  }
  const std::string twice = repeated_name(slices);
  if (!twice.empty()) return PoolTrouble{unusable, fmt::format("{} has {} twice", pool, twice)};
  for (const Slice* const slice : slices) {
    const std::string what = unknown_of(*slice);
    if (what.empty()) continue;
    return PoolTrouble{unknown, "the scheduler of dra-playground does not know " + what};
  }
  return std::nullopt;
}

std::vector<const Slice*> newest_of(const std::map<std::string, Slice>& slices) {
  std::vector<const Slice*> newest;
  for (const auto& [name, slice] : slices) {
    if (!newest.empty() && slice.generation < newest[0]->generation) continue;
    if (!newest.empty() && slice.generation > newest[0]->generation) newest.clear();
    newest.push_back(&slice);
  }
  return newest;
}

}  // namespace

void Inventory::set_slice(const Slice& slice) {
  const PoolKey key{slice.driver, slice.pool};
  Pool& pool = pools_[key];
  pool.slices.insert_or_assign(slice.meta.key.name, slice);
  rebuild(key, pool);
}

void Inventory::remove_slice(const Slice& slice) {
  const auto pool = pools_.find({slice.driver, slice.pool});
  if (pool == pools_.end()) return;
  pool->second.slices.erase(slice.meta.key.name);
  rebuild(pool->first, pool->second);
  if (pool->second.slices.empty()) pools_.erase(pool);
}

void Inventory::rebuild(const PoolKey& key, Pool& pool) {
  for (const api::DeviceId& id : std::exchange(pool.shown, {})) drop(id);
  for (const InternedString& node : std::exchange(pool.told, {})) {
    nodes_[node][key.driver].trouble.erase(key.pool);
  }
  const std::vector<const Slice*> newest = newest_of(pool.slices);
  if (newest.empty()) return;
  const std::optional<PoolTrouble> trouble = playground::trouble_of(newest);
  for (const Slice* const slice : newest) {
    if (trouble) {
      nodes_[slice->node][key.driver].trouble.insert_or_assign(key.pool, *trouble);
      pool.told.push_back(slice->node);
    } else {
      add(*slice, pool);
    }
  }
}

void Inventory::add(const Slice& slice, Pool& pool) {
  DriverOnNode& driver = nodes_[slice.node][slice.driver];
  for (const SliceDevice& device : slice.devices) {
    const api::DeviceId id{slice.driver, slice.pool, device.name};
    Device& known = devices_.emplace(id, Device{slice.node, device.taints}).first->second;
    known.is_tainted = is_kept_off(id, known, {});
    pool.shown.push_back(id);
    driver.pools[slice.pool].push_back(id);
    ++driver.devices;
    if (is_free(id)) ++driver.free;
  }
}

void Inventory::drop(const api::DeviceId& id) {
  const auto device = devices_.find(id);
  DriverOnNode& driver = nodes_[device->second.node][id.driver];
  if (is_free(id)) --driver.free;
  --driver.devices;
  std::erase(driver.pools[id.pool], id);
  devices_.erase(device);
}

bool Inventory::is_free(const api::DeviceId& id) const {
  const auto device = devices_.find(id);
  return device != devices_.end() && !device->second.is_tainted && !in_use_.contains(id);
}

void Inventory::set_rule(const api::DeviceTaintRule& rule) {
  if (keeps_off(rule.taint)) {
    rules_.insert_or_assign(rule.meta.key.name, rule);
  } else {
    rules_.erase(rule.meta.key.name);
  }
  look_at_rules_again();
}

void Inventory::remove_rule(const api::DeviceTaintRule& rule) {
  if (rules_.erase(rule.meta.key.name) > 0) look_at_rules_again();
}

void Inventory::look_at_rules_again() {
  for (auto& [id, device] : devices_) {
    const bool was_free = is_free(id);
    device.is_tainted = is_kept_off(id, device, {});
    std::size_t& free = nodes_[device.node][id.driver].free;
    if (was_free && !is_free(id)) --free;
    if (!was_free && is_free(id)) ++free;
  }
}

// By any of its taints.
bool Inventory::is_kept_off(const api::DeviceId& id, const Device& device,
                            const std::vector<Toleration>& tolerated) const {
  const auto matters = [&tolerated](const api::DeviceTaint& taint) {
    return keeps_off(taint) && !tolerates(tolerated, taint);
  };
  return std::ranges::any_of(device.taints, matters) ||
         std::ranges::any_of(rules_, [&](const auto& rule) {
           return selects(rule.second, id) && matters(rule.second.taint);
         });
}

bool Inventory::may_have(const Need& need, const api::DeviceId& id) const {
  if (is_free(id)) return true;
  const auto device = devices_.find(id);
  return device != devices_.end() && !in_use_.contains(id) &&
         !is_kept_off(id, device->second, need.tolerated);
}

void Inventory::take(const api::DeviceId& device) {
  const bool was_free = is_free(device);
  ++in_use_[device];
  if (was_free) --nodes_[node_of(device)][device.driver].free;
}

void Inventory::give_back(const api::DeviceId& device) {
  const auto used = in_use_.find(device);
  if (used == in_use_.end() || --used->second > 0) return;
  in_use_.erase(used);
  if (is_free(device)) ++nodes_[node_of(device)][device.driver].free;
}

InternedString Inventory::node_of(const api::DeviceId& device) const {
  const auto found = devices_.find(device);
  return found == devices_.end() ? InternedString() : found->second.node;
}

template <class OnDriver>
void Inventory::for_each_driver(const InternedString& node, const InternedString& name,
                                OnDriver&& on_driver) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  for (const auto& [driver, devices] : found->second) {
    if (name.empty() || name == driver) on_driver(devices);
  }
}

NoFit Inventory::trouble_of(const InternedString& node, const Need& need,
                            PoolTrouble::Kind kind) const {
  NoFit what;
  // A request for all devices waits for every pool, as in kube-scheduler.
  const bool concerns_all = kind == PoolTrouble::Kind::unusable && need.mode == AllocationMode::all;
  for (const InternedString& place : {node, InternedString()}) {
    for_each_driver(place, concerns_all ? InternedString() : need.driver,
                    [&](const DriverOnNode& driver) {
                      for (const auto& [pool, trouble] : driver.trouble) {
                        if (trouble.kind == kind && what.empty()) what = trouble.what;
                      }
                    });
  }
  return what;
}

std::expected<Inventory::Choice, NoFit> Inventory::choice_of(const InternedString& node,
                                                             const Need& need) const {
  using enum PoolTrouble::Kind;
  const bool wants_all = need.mode == AllocationMode::all;
  NoFit unknown_trouble = trouble_of(node, need, unknown);
  if (!unknown_trouble.empty()) return std::unexpected(std::move(unknown_trouble));
  NoFit unusable_trouble = trouble_of(node, need, unusable);
  if (wants_all && !unusable_trouble.empty()) return std::unexpected(std::move(unusable_trouble));
  Choice choice;
  std::size_t devices = 0;
  for_each_driver(node, need.driver, [&](const DriverOnNode& driver) {
    devices += driver.devices;
    // Without tolerations, the count of free devices says already that there are none.
    if (need.tolerated.empty() && driver.free == 0) return;
    for (const auto& [pool, ids] : driver.pools) {
      for (const api::DeviceId& id : ids) {
        if (may_have(need, id)) choice.devices.push_back(&id);
      }
    }
  });
  choice.wanted = wants_all ? devices : need.count;
  if (choice.wanted == 0 || choice.devices.size() < choice.wanted)
    return std::unexpected(std::move(unusable_trouble));
  return choice;
}

// Each need's devices in their order, all combinations of them; the first that fits.
class Inventory::Search {
 public:
  explicit Search(std::vector<Choice> choices)
      : choices_(std::move(choices)), fit_(choices_.size()) {}

  bool run() { return choose(0, 0); }
  bool was_too_long() const { return tries_ > kTriesMax; }
  Fit take_fit() { return std::move(fit_); }

 private:
  bool choose(std::size_t need, std::size_t from) {
    if (need == choices_.size()) return true;
    const Choice& choice = choices_[need];
    const std::size_t missing = choice.wanted - fit_[need].size();
    if (missing == 0) return choose(need + 1, 0);
    for (std::size_t i = from; i + missing <= choice.devices.size(); ++i) {
      if (++tries_ > kTriesMax) return false;
      const api::DeviceId& id = *choice.devices[i];
      if (!taken_.insert(id).second) continue;
      fit_[need].push_back(id);
      if (choose(need, i + 1)) return true;
      fit_[need].pop_back();
      taken_.erase(id);
    }
    return false;
  }

  std::vector<Choice> choices_;
  Fit fit_;
  std::unordered_set<api::DeviceId> taken_;
  int tries_ = 0;
};

std::expected<Fit, NoFit> Inventory::fit(const InternedString& node,
                                         std::span<const Need> needs) const {
  std::vector<Choice> choices;
  std::map<std::size_t, std::size_t> in_claim;
  for (const Need& need : needs) {
    auto choice = choice_of(node, need);
    if (!choice) return std::unexpected(std::move(choice.error()));
    if ((in_claim[need.claim] += choice->wanted) > kResultsMax) {
      return std::unexpected(fmt::format("a claim would get more than {} devices", kResultsMax));
    }
    choices.push_back(std::move(*choice));
  }
  Search search(std::move(choices));
  if (search.run()) return search.take_fit();
  if (!search.was_too_long()) return std::unexpected(NoFit());
  return std::unexpected(NoFit("the scheduler of dra-playground has tried too many combinations"));
}

}  // namespace dcm::playground
