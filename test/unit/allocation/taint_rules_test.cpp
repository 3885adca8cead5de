// Which DeviceTaintRules keep claims off devices.
#include "allocation/taint_rules.hpp"

#include <gtest/gtest.h>

namespace dcm::allocation {
namespace {

const api::DeviceId kDevice{"gpu.example.com", "pool", "gpu-0"};

// Taints every device with NoSchedule.
api::DeviceTaintRule rule_for_all() {
  api::DeviceTaintRule rule;
  rule.meta.key.name = "maintenance";
  rule.selector.emplace();
  rule.taint.key = "example.com/broken";
  rule.taint.value = "yes";
  rule.taint.effect = api::TaintEffect::no_schedule;
  return rule;
}

TEST(TaintRuleForAllocation, keeps_its_name_and_taint) {
  const auto rule = taint_rule(rule_for_all());
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->name, "maintenance");
  EXPECT_EQ(rule->taint, (Taint{"example.com/broken", "yes", api::TaintEffect::no_schedule}));
}

TEST(TaintRuleForAllocation, selects_every_device_if_its_selector_is_empty) {
  const auto rule = taint_rule(rule_for_all());
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->selects(kDevice));
}

TEST(TaintRuleForAllocation, selects_by_each_part_that_is_set) {
  const auto selects = [](auto part, const api::InternedString& name) {
    api::DeviceTaintRule read = rule_for_all();
    (*read.selector).*part = name;
    const auto rule = taint_rule(read);
    return rule && rule->selects(kDevice);
  };
  using Selector = api::DeviceSelector;
  EXPECT_TRUE(selects(&Selector::driver, kDevice.driver));
  EXPECT_TRUE(selects(&Selector::pool, kDevice.pool));
  EXPECT_TRUE(selects(&Selector::device, kDevice.device));
  for (const auto part : {&Selector::driver, &Selector::pool, &Selector::device}) {
    EXPECT_FALSE(selects(part, api::InternedString("another")));
  }
}

TEST(TaintRuleForAllocation, is_absent_without_a_selector) {
  api::DeviceTaintRule rule = rule_for_all();
  rule.selector.reset();
  EXPECT_FALSE(taint_rule(rule));
}

TEST(TaintRuleForAllocation, is_absent_if_its_selector_has_an_unknown_field) {
  api::DeviceTaintRule rule = rule_for_all();
  rule.unknown_selector_field = "spec.deviceSelector.model";
  EXPECT_FALSE(taint_rule(rule));
}

TEST(TaintRuleForAllocation, is_absent_unless_its_effect_prevents_allocation) {
  using enum api::TaintEffect;
  for (const auto& [effect, is_kept] : {std::pair{no_schedule, true}, std::pair{no_execute, true},
                                        std::pair{none, false}, std::pair{other, false}}) {
    api::DeviceTaintRule rule = rule_for_all();
    rule.taint.effect = effect;
    EXPECT_EQ(taint_rule(rule).has_value(), is_kept);
  }
}

}  // namespace
}  // namespace dcm::allocation
