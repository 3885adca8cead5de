// DeviceTaintRules in the form that the allocator uses.
#pragma once

#include <optional>

#include "allocation/taints.hpp"
#include "controllers/api/device_taint_rule.hpp"

namespace dcm::allocation {

// nullopt: the rule taints no device, or its effect does not prevent allocation.
std::optional<TaintRule> taint_rule(const api::DeviceTaintRule& rule);

}  // namespace dcm::allocation
