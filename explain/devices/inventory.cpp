#include "explain/devices/inventory.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "allocation/extended_resources.hpp"
#include "allocation/taint_rules.hpp"

namespace dcm::explain {
namespace {

using allocation::Claim;
using allocation::DeviceResult;
using allocation::InternedString;
using allocation::TaintRule;

template <class Visit>
void for_each_result(const Claim& claim, Visit visit) {
  if (!claim.allocation) return;
  for (const DeviceResult& result : claim.allocation->devices) visit(result);
}

}  // namespace

DeviceInventory::DeviceInventory(ListedDevices listed) : listed_(std::move(listed)) {
  std::ranges::sort(listed_.nodes, {}, [](const auto& node) { return node->name.view(); });
  for (const auto& slice : listed_.slices) {
    devices_ += slice->devices.size();
    slices_.add(slice);
  }
  for (const auto& found : listed_.classes) classes_[found->meta.key.name.str()] = found;
  for (const auto& rule : listed_.rules) {
    if (auto taint = allocation::taint_rule(*rule)) rules_.push_back(*std::move(taint));
  }
  // If several rules taint a device, always the same rule is named.
  std::ranges::sort(rules_, {}, &TaintRule::name);
  for (const auto& claim : listed_.claims) {
    claims_[claim->meta.key] = claim.get();
    hold(*claim);
    for_each_result(*claim, [&](const DeviceResult& result) {
      if (result.has_admin_access) return;
      Holders& holders = holders_[result.id];
      if (holders.empty() || holders.back() != claim.get()) holders.push_back(claim.get());
    });
  }
}

const Claim* DeviceInventory::find_claim(const api::NamespacedName& key) const {
  const auto found = claims_.find(key);
  return found == claims_.end() ? nullptr : found->second;
}

std::span<const Claim* const> DeviceInventory::holders(const api::DeviceId& device) const {
  const auto found = holders_.find(device);
  return found == holders_.end() ? std::span<const Claim* const>() : found->second;
}

const DeviceInventory::Holders& DeviceInventory::users_of(const allocation::PoolId& pool,
                                                          const InternedString& set) const {
  const auto [found, is_new] = users_.try_emplace({pool, set});
  if (!is_new) return found->second;
  std::unordered_set<const Claim*> known;
  for (const allocation::SlicePtr& slice : slices_.of_pool(pool)) {
    for (const allocation::Device& device : slice->devices) {
      const auto& uses = device.extras().counters;
      if (std::ranges::find(uses, set, &allocation::CounterUse::set) == uses.end()) continue;
      for (const Claim* const claim : holders(slice->id_of(device))) {
        if (known.insert(claim).second) found->second.push_back(claim);
      }
    }
  }
  return found->second;
}

api::ObjectPtr<allocation::DeviceClass> DeviceInventory::find_class(const std::string& name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : found->second;
}

std::string DeviceInventory::class_serving(const std::string& resource) const {
  if (const auto implicit = allocation::implicit_class(resource)) {
    std::string name(*implicit);
    return find_class(name) ? name : std::string();
  }
  const allocation::DeviceClass* serving = nullptr;
  for (const auto& each : listed_.classes) {
    if (each->extended_resource_name != resource) continue;
    if (serving == nullptr || allocation::serves_before(*each, *serving)) serving = each.get();
  }
  return serving == nullptr ? std::string() : serving->meta.key.name.str();
}

void DeviceInventory::release(const Claim& claim) {
  for_each_result(claim, [this](const DeviceResult& result) { usage_.give_back(result); });
}

void DeviceInventory::hold(const Claim& claim) {
  for_each_result(claim, [this](const DeviceResult& result) { usage_.take(result); });
}

}  // namespace dcm::explain
