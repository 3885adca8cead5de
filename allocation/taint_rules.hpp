// DeviceTaintRules as the allocator takes them.
#pragma once

#include <optional>

#include "allocation/taints.hpp"
#include "controllers/api/device_taint_rule.hpp"

namespace dcm::allocation {

// nullopt: the rule taints no device, or with an effect that keeps no claim away.
std::optional<TaintRule> taint_rule(const api::DeviceTaintRule& rule);

}  // namespace dcm::allocation
