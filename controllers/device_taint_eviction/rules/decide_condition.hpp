// The condition EvictionInProgress of a DeviceTaintRule: its content, and when it is written
// (KEP-5055). Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>

#include "controllers/api/device_taint_rule.hpp"
#include "controllers/device_taint_eviction/state/pending_pods.hpp"
#include "runtime/time.hpp"

namespace dcm::device_taint_eviction {

// The evictions that a rule with effect None would cause with effect NoExecute.
struct Preview {
  std::size_t published_devices = 0;
  std::size_t allocated_devices = 0;
  std::size_t pods = 0;
  std::size_t namespaces = 0;  // of these pods
};

std::string describe(const Preview& preview);

// Status, reason and message as they should be; without generation and time. `preview` is the
// message for a rule with effect None.
api::Condition decide_condition(api::TaintEffect effect, const RuleCounts& counts,
                                const std::string& preview);

// A rule's condition is written at once for a new generation, then at most this often.
inline constexpr std::chrono::seconds kConditionInterval{10};

struct NoWrite {  // it already says that
  friend bool operator==(const NoWrite&, const NoWrite&) = default;
};
struct WriteLater {
  runtime::Duration delay;
  friend bool operator==(const WriteLater&, const WriteLater&) = default;
};
struct WriteCondition {
  api::Condition condition;
  friend bool operator==(const WriteCondition&, const WriteCondition&) = default;
};
using ConditionPlan = std::variant<NoWrite, WriteLater, WriteCondition>;

ConditionPlan decide_write(const api::DeviceTaintRule& rule, api::Condition wanted,
                           runtime::WallTime now);

}  // namespace dcm::device_taint_eviction
