// The arguments of `dra-playground taint`: a device, and changes of its taints, written as for
// `kubectl taint`. Text only; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/api/device.hpp"
#include "runtime/error.hpp"

namespace dcm::playground {

// A taint of a device (KEP-5055), which has one for each pair of key and effect.
struct Taint {
  std::string key;
  std::string value;   // may be empty
  std::string effect;  // "None", "NoSchedule" or "NoExecute"

  // "KEY=VALUE:EFFECT" without empty parts.
  std::string str() const;
  friend bool operator==(const Taint&, const Taint&) = default;
};

enum class Overwrite { no, yes };

struct TaintChanges {
  std::vector<Taint> add = {};
  std::vector<Taint> remove = {};  // an empty effect: all taints with that key; no value
  // Whether a taint may replace one with the same key and effect.
  Overwrite overwrite = Overwrite::no;
};

// "DRIVER/POOL/DEVICE"; a pool's name may have slashes. Errors: configuration.
runtime::Result<api::DeviceId> parse_device(std::string_view text);

// "KEY=VALUE:EFFECT" and "KEY:EFFECT" add, "KEY:EFFECT-" and "KEY-" remove.
// Errors: configuration.
runtime::Result<TaintChanges> parse_taint_changes(const std::vector<std::string>& specs);

}  // namespace dcm::playground
