// Keeps the conditions of rules up to date.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controllers/device_taint_eviction/api/api.hpp"
#include "controllers/device_taint_eviction/rules/decide_condition.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"
#include "controllers/device_taint_eviction/sync/item.hpp"
#include "controllers/device_taint_eviction/tracker.hpp"
#include "runtime/log.hpp"
#include "runtime/time.hpp"
#include "workqueue/workers.hpp"

namespace dcm::device_taint_eviction {

// Writes a rule's condition at most every 10 s; changes in between are included in the next write.
// The preview of a rule with effect None is counted once for each of its generations. Loop thread
// only; no two calls for one rule at the same time (the queue sees to that).
class ConditionWriter {
 public:
  // Receives a rule as returned by a write.
  using Record = std::function<void(const RulePtr&)>;
  // All references must outlive it.
  struct Dependencies {
    const Tracker& tracker;
    TaintRules& rules;  // of the tracker
    EvictionApi& api;
    ItemProblems& problems;
    runtime::TimeSource& time;
    runtime::Logger log;
    Record record;
  };
  explicit ConditionWriter(Dependencies dependencies) : deps_(std::move(dependencies)) {}

  Task<workqueue::Outcome> sync(std::string name, api::Uid uid);
  // Whether a condition of this generation was sent, accepted or not: nothing further is urgent.
  static bool has_tried(const Rule& rule);
  // The condition as it should be now; nullopt: a preview must be counted first.
  static std::optional<api::Condition> wanted(const Rule& rule);

 private:
  Task<> count_preview(RuleId id, RulePtr rule);
  Task<workqueue::Outcome> write(RulePtr rule, api::Condition condition);

  Dependencies deps_;
};

}  // namespace dcm::device_taint_eviction
