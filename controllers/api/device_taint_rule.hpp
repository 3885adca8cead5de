// resource.k8s.io DeviceTaintRule (KEP-5055), projected to what eviction needs. Cluster-scoped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/api/condition.hpp"
#include "client/api/meta.hpp"
#include "controllers/api/device.hpp"

namespace dcm::api {

// The condition that reports the progress of its eviction.
inline constexpr std::string_view kEvictionInProgress = "EvictionInProgress";

// Selects the devices that equal it in every part that is set.
struct DeviceSelector {
  InternedString driver;  // empty: any; the same holds for the other two
  InternedString pool;
  InternedString device;

  friend bool operator==(const DeviceSelector&, const DeviceSelector&) = default;
};

struct DeviceTaintRule {
  ObjectMeta meta;
  std::int64_t generation = 0;
  // nullopt: no device. (An empty selector, in contrast, means every device.)
  std::optional<DeviceSelector> selector;
  // An unknown field of the selector, or a part that is set but empty: such a rule must match
  // nothing, because ignoring the field would match too much. Empty if there is none.
  std::string unknown_selector_field;
  DeviceTaint taint;
  std::optional<Condition> condition;  // of type kEvictionInProgress

  friend bool operator==(const DeviceTaintRule&, const DeviceTaintRule&) = default;
};

std::size_t footprint(const DeviceTaintRule& rule);

}  // namespace dcm::api
