// The DeviceTaintRules, and which of them taint a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"

namespace dcm::device_taint_eviction {

using RulePtr = api::ObjectPtr<api::DeviceTaintRule>;

// Identifies a rule during its lifetime: a recreated rule of the same name gets another one. Never
// 0.
enum class RuleId : std::uint64_t {};

// Whether the rule's selector is valid: it exists, and we know all of its fields.
bool has_usable_selector(const api::DeviceTaintRule& rule);
// Whether it can evict pods.
bool evicts(const api::DeviceTaintRule& rule);
// Whether two states of a rule taint the same devices in the same way.
bool taints_alike(const api::DeviceTaintRule& a, const api::DeviceTaintRule& b);

struct RuleCounts {
  std::size_t pending = 0;     // pods
  std::size_t namespaces = 0;  // of these pods
  std::size_t evicted = 0;     // pods, since this process started

  friend bool operator==(const RuleCounts&, const RuleCounts&) = default;
};

// State of a rule, dropped with the rule.
struct Rule {
  RuleId id{};
  RulePtr object;
  // The pods to be evicted because of it, by namespace; maintained by PendingPods.
  std::size_t pending = 0;
  std::unordered_map<api::InternedString, std::size_t> pending_in;
  std::size_t evicted = 0;
  // Generations of the rule; maintained by ConditionWriter.
  struct Preview {
    std::int64_t generation;
    std::string text;
  };
  std::optional<Preview> preview;
  std::optional<std::int64_t> tried;  // a condition was sent, accepted or not

  RuleCounts counts() const { return {pending, pending_in.size(), evicted}; }
};

// Rules by name, and evicting ones by their selector. Loop thread only; no I/O.
class TaintRules {
 public:
  // Adds or replaces a rule. The same UID keeps its ID.
  void put(const RulePtr& rule);
  void erase(std::string_view name);
  // Null if there is none. Valid until that rule is deleted.
  const Rule* find(std::string_view name) const;
  const Rule* find(RuleId id) const;
  Rule* find(std::string_view name);
  Rule* find(RuleId id);
  std::size_t size() const noexcept { return rules_.size(); }

  // Calls `visit(const Rule&)`.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [name, rule] : rules_) visit(*rule);
  }
  // Calls `visit(const Rule&)` for each rule that evicts and selects the device: at most one
  // look-up per combination of selector parts (8 in all), however many rules there are.
  template <class Visit>
  void for_each_match(const api::DeviceId& device, Visit visit) const {
    for (unsigned shape = 0; shape < kShapes; ++shape) {
      if (used_shapes_[shape] == 0) continue;
      const auto found = by_selector_.find(cut(device, shape));
      if (found == by_selector_.end()) continue;
      for (const Rule* rule : found->second) visit(*rule);
    }
  }

 private:
  // Which parts of a selector are set, as bits: driver, pool, device.
  static constexpr unsigned kShapes = 8;
  static unsigned shape_of(const api::DeviceSelector& selector);
  static api::DeviceSelector cut(const api::DeviceId& device, unsigned shape);
  void enlist(const Rule& rule);
  void delist(const Rule& rule);

  struct SelectorHash {
    std::size_t operator()(const api::DeviceSelector& selector) const noexcept {
      return std::hash<api::DeviceId>{}({selector.driver, selector.pool, selector.device});
    }
  };

  std::uint64_t last_id_ = 0;
  std::map<std::string, std::unique_ptr<Rule>, std::less<>> rules_;
  std::unordered_map<RuleId, Rule*> by_id_;
  std::unordered_map<api::DeviceSelector, std::vector<const Rule*>, SelectorHash> by_selector_;
  std::array<std::size_t, kShapes> used_shapes_{};
};

}  // namespace dcm::device_taint_eviction
