// resource.k8s.io DeviceTaintRule (KEP-5055), projected to what eviction needs. Cluster-scoped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/api/meta.hpp"
#include "controllers/api/device.hpp"
#include "runtime/time.hpp"

namespace dcm::api {

// Its condition that says how far the eviction is.
inline constexpr std::string_view kEvictionInProgress = "EvictionInProgress";

// Which devices a rule is about: every part that is set must be equal.
struct DeviceSelector {
  InternedString driver;  // empty: any, like the other two
  InternedString pool;
  InternedString device;

  friend bool operator==(const DeviceSelector&, const DeviceSelector&) = default;
};

enum class ConditionStatus : std::uint8_t { unknown, is_true, is_false };

// metav1.Condition, one of kEvictionInProgress.
struct EvictionCondition {
  ConditionStatus status = ConditionStatus::unknown;
  std::string reason;
  std::string message;
  std::int64_t observed_generation = 0;
  runtime::WallTime last_transition;

  friend bool operator==(const EvictionCondition&, const EvictionCondition&) = default;
};

struct DeviceTaintRule {
  ObjectMeta meta;
  std::int64_t generation = 0;
  // Nothing: no device. (An empty selector, on the other hand, means every device.)
  std::optional<DeviceSelector> selector;
  // A field of the selector that we do not know, or a part that is set but empty: such a rule must
  // match nothing, as to ignore the field would match too much. Empty: none.
  std::string unknown_selector_field;
  DeviceTaint taint;
  std::optional<EvictionCondition> condition;
};

// Bytes of memory: of its size and capacities, without the allocator's rounding and interned
// strings.
std::size_t footprint(const DeviceTaintRule& rule);

}  // namespace dcm::api
