// Devices by name, their taints, and tolerations (KEP-4381, KEP-5055).
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "client/api/meta.hpp"
#include "runtime/time.hpp"

namespace dcm::api {

// A device of the cluster, identified by all three names.
struct DeviceId {
  InternedString driver;
  InternedString pool;
  InternedString device;

  // "driver/pool/device"
  std::string str() const { return driver.str() + '/' + pool.str() + '/' + device.str(); }

  friend bool operator==(const DeviceId&, const DeviceId&) = default;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

// The effect of a taint on pods that do not tolerate it.
enum class TaintEffect : std::uint8_t {
  none,         // None: a preview
  no_schedule,  // NoSchedule: they get no device with this taint
  no_execute,   // NoExecute: if they already have such a device, they are evicted
  other,        // an effect of a newer API
};

// The API's word, for messages.
std::string_view to_word(TaintEffect effect);

// Whether pods that do not tolerate the taint get no device with it.
constexpr bool prevents_allocation(TaintEffect effect) {
  return effect == TaintEffect::no_schedule || effect == TaintEffect::no_execute;
}

// A slice's taint is kept only if it evicts; a rule's taint may have any effect.
struct DeviceTaint {
  InternedString key;
  InternedString value;
  TaintEffect effect = TaintEffect::none;
  // Set by the API server if a writer omits it. nullopt: it is missing, and the taint cannot be
  // judged.
  std::optional<runtime::WallTime> time_added;
  // The position in its device's list of taints, for messages.
  std::uint32_t index = 0;

  friend bool operator==(const DeviceTaint&, const DeviceTaint&) = default;
};

enum class TolerationOperator : std::uint8_t { exists, equal };

// A toleration with effect NoExecute and a known operator; others are not kept.
struct DeviceToleration {
  InternedString key;  // empty: every key
  TolerationOperator operator_ = TolerationOperator::equal;
  InternedString value;
  std::optional<std::chrono::seconds> duration;  // tolerationSeconds; nullopt: forever

  friend bool operator==(const DeviceToleration&, const DeviceToleration&) = default;
};

}  // namespace dcm::api

template <>
struct std::hash<dcm::api::DeviceId> {
  std::size_t operator()(const dcm::api::DeviceId& id) const noexcept {
    return (id.driver.hash() * 31 + id.pool.hash()) * 31 + id.device.hash();
  }
};
