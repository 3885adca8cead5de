// Explains a pod's devices and their taints, and DeviceTaintRules.
//
// Pure, from the same decisions as the workers' (decide_due.hpp, decide_eviction.hpp,
// decide_condition.hpp).
#pragma once

#include <optional>
#include <vector>

#include "controllers/common/explanation.hpp"
#include "controllers/device_taint_eviction/rules/decide_condition.hpp"
#include "controllers/device_taint_eviction/rules/decide_due.hpp"
#include "controllers/device_taint_eviction/rules/decide_eviction.hpp"

namespace dcm::device_taint_eviction {

// ---- a pod --------------------------------------------------------------------------------------

// Whether the API server has accepted its deletion already.
enum class Evicted : std::uint8_t { no, yes };

// `snapshot` is of the pod, without a due time, which is decided here. Requires a pod.
common::Topic explain_pod(EvictionSnapshot snapshot, const Lookup& lookup, const Taints& taints,
                          Evicted evicted);

// ---- a claim ------------------------------------------------------------------------------------

// The evicting taints on the devices that are allocated to it.
common::Topic explain_taints_of(const ClaimPtr& claim, const Taints& taints, WallTime now);

// ---- a rule -------------------------------------------------------------------------------------

struct AffectedPod {
  api::NamespacedName key;
  WallTime due;
};

struct RuleFacts {
  RuleFacts(const api::DeviceTaintRule& about, WallTime at) : rule(about), now(at) {}

  const api::DeviceTaintRule& rule;
  WallTime now;
  std::size_t published_devices = 0;  // that it selects
  std::vector<AffectedPod> pods;      // to be evicted because of it, now or later
  // Whether there may be more of them, because the search was cut short.
  enum class Look : std::uint8_t { complete, cut_short } look{};
  // The condition as it should be; nullopt: unknown, because this process does not work.
  std::optional<api::Condition> wanted = {};
  // Whether a walk over its devices is running: then the numbers still grow.
  enum class Walk : std::uint8_t { done, under_way } walk{};
};

std::vector<common::Topic> explain_rule(RuleFacts facts);

}  // namespace dcm::device_taint_eviction
