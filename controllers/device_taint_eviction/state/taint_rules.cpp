#include "controllers/device_taint_eviction/state/taint_rules.hpp"

#include <utility>

#include "controllers/device_taint_eviction/rules/due_of_taint.hpp"

namespace dcm::device_taint_eviction {
namespace {

constexpr unsigned kDriver = 1;
constexpr unsigned kPool = 2;
constexpr unsigned kDevice = 4;

}  // namespace

bool has_usable_selector(const api::DeviceTaintRule& rule) {
  return rule.selector && rule.unknown_selector_field.empty();
}

bool evicts(const api::DeviceTaintRule& rule) {
  return has_usable_selector(rule) && evicts(rule.taint);
}

bool taints_alike(const api::DeviceTaintRule& a, const api::DeviceTaintRule& b) {
  if (!evicts(a) || !evicts(b)) return evicts(a) == evicts(b);
  return a.selector == b.selector && a.taint == b.taint;
}

void TaintRules::put(const RulePtr& rule) {
  auto& entry = rules_[rule->meta.key.name.str()];
  if (entry) delist(*entry);
  if (!entry || entry->object->meta.uid != rule->meta.uid) {
    if (entry) by_id_.erase(entry->id);
    entry = std::make_unique<Rule>();
    entry->id = RuleId{++last_id_};
    by_id_[entry->id] = entry.get();
  }
  entry->object = rule;
  enlist(*entry);
}

void TaintRules::erase(std::string_view name) {
  const auto found = rules_.find(name);
  if (found == rules_.end()) return;
  delist(*found->second);
  by_id_.erase(found->second->id);
  rules_.erase(found);
}

const Rule* TaintRules::find(std::string_view name) const {
  const auto found = rules_.find(name);
  return found == rules_.end() ? nullptr : found->second.get();
}

const Rule* TaintRules::find(RuleId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Rule* TaintRules::find(std::string_view name) {
  return const_cast<Rule*>(std::as_const(*this).find(name));
}

Rule* TaintRules::find(RuleId id) {
  return const_cast<Rule*>(std::as_const(*this).find(id));
}

unsigned TaintRules::shape_of(const api::DeviceSelector& selector) {
  return (selector.driver.empty() ? 0 : kDriver) | (selector.pool.empty() ? 0 : kPool) |
         (selector.device.empty() ? 0 : kDevice);
}

api::DeviceSelector TaintRules::cut(const api::DeviceId& device, unsigned shape) {
  api::DeviceSelector selector;
  if ((shape & kDriver) != 0) selector.driver = device.driver;
  if ((shape & kPool) != 0) selector.pool = device.pool;
  if ((shape & kDevice) != 0) selector.device = device.device;
  return selector;
}

void TaintRules::enlist(const Rule& rule) {
  if (!evicts(*rule.object)) return;
  by_selector_[*rule.object->selector].push_back(&rule);
  ++used_shapes_[shape_of(*rule.object->selector)];
}

void TaintRules::delist(const Rule& rule) {
  if (!evicts(*rule.object)) return;
  const auto found = by_selector_.find(*rule.object->selector);
  std::erase(found->second, &rule);
  --used_shapes_[shape_of(*rule.object->selector)];
  if (found->second.empty()) by_selector_.erase(found);
}

}  // namespace dcm::device_taint_eviction
