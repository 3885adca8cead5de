// Taints of devices, and the tolerations of requests for them (KEP-5055). Nodes and pods use the
// same types.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "controllers/api/device.hpp"

namespace dcm::allocation {

using runtime::InternedString;

struct Taint {
  InternedString key;
  InternedString value = {};
  api::TaintEffect effect = api::TaintEffect::no_schedule;

  friend bool operator==(const Taint&, const Taint&) = default;
};

struct Toleration {
  enum class Operator : std::uint8_t { equal, exists, other };
  InternedString key = {};  // empty: every key
  Operator operator_ = Operator::equal;
  InternedString value = {};
  std::optional<api::TaintEffect> effect = {};  // nullopt: every effect

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

bool tolerates(const Toleration& toleration, const Taint& taint);
bool tolerates(std::span<const Toleration> tolerations, const Taint& taint);
// The first taint that is not tolerated; null if none.
const Taint* find_untolerated(std::span<const Taint> taints,
                              std::span<const Toleration> tolerations);

// A DeviceTaintRule: taints the devices that match every part that is set.
struct TaintRule {
  std::string name;
  std::optional<InternedString> driver = {};
  std::optional<InternedString> pool = {};
  std::optional<InternedString> device = {};
  Taint taint;

  bool selects(const api::DeviceId& id) const {
    return (!driver || *driver == id.driver) && (!pool || *pool == id.pool) &&
           (!device || *device == id.device);
  }
};

}  // namespace dcm::allocation
