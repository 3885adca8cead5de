// Capacities of devices: how much a request takes of each, and whether there is enough (KEP-5075).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "allocation/claim.hpp"
#include "allocation/slice.hpp"
#include "allocation/usage.hpp"

namespace dcm::allocation {

// Why a device lacks the requested capacity.
struct CapacityObstacle {
  enum class Kind : std::uint8_t {
    missing,    // the device has no such capacity
    refused,    // by the capacity's policy
    too_small,  // with what is already consumed
  };
  Kind kind;
  std::string name;
  Quantity has = {};
  Quantity consumed = {};         // by others
  Quantity wanted = {};           // after rounding
  std::string published_as = {};  // of a missing one, in explanations: its name with or without the
                                  // driver's domain
};

// The consumed amount of each capacity of a device, in order. An error is fatal: `capacity
// "memory": …`.
using Consumption = std::vector<Quantity>;
std::expected<Consumption, std::string> consumption_of(const Ask& ask, const Device& device,
                                                       bool is_fractional);

// nullopt if it fits. `taken` is what this call has taken so far; may be empty.
std::optional<CapacityObstacle> capacity_obstacle(const Ask& ask, const Device& device,
                                                  const Consumption& wanted,
                                                  const Amounts* consumed, const Consumption& taken,
                                                  bool is_fractional);

// The requested capacity that the device lacks; null if it lacks none.
const std::string* missing_capacity(const Ask& ask, const Device& device);

}  // namespace dcm::allocation
