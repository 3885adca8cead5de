// The strategies of the kinds, one file each (or one for several small ones).
#pragma once

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

// For a kind whose rules are a row of kind_rules.cpp, or that has no rules. `kind` must never be
// destroyed.
const Strategy& table_strategy(std::string_view kind);

const Strategy& pod_strategy();             // pod_strategy.cpp
const Strategy& claim_strategy();           // claim_strategy.cpp
const Strategy& claim_template_strategy();  // claim_strategy.cpp
const Strategy& taint_rule_strategy();      // taint_rule_strategy.cpp
const Strategy& pool_status_strategy();     // pool_status_strategy.cpp
const Strategy& pod_group_strategy();       // pod_group_strategy.cpp
const Strategy& budget_strategy();          // budget_strategy.cpp
const Strategy& class_strategy();           // device_strategies.cpp
const Strategy& slice_strategy();           // device_strategies.cpp
const Strategy& node_strategy();            // small_strategies.cpp, like all below
const Strategy& namespace_strategy();
const Strategy& event_strategy();
const Strategy& lease_strategy();

}  // namespace dcm::apiserver
