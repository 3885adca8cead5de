// The condition of a rule, character for character, and when it is written.
#include "controllers/device_taint_eviction/rules/decide_condition.hpp"

#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

using api::TaintEffect;

struct TextRow {
  const char* sentence;
  TaintEffect effect;
  RuleCounts counts;
  const char* status;
  const char* reason;
  const char* message;
};

TEST(DecideCondition, formats_message) {
  constexpr const char* kOther = "Eviction only happens for the NoExecute effect.";
  constexpr const char* kTrue = "True";
  constexpr const char* kFalse = "False";
  constexpr auto kNoExecute = TaintEffect::no_execute;
  const TextRow kRows[] = {
      {"one pod",
       kNoExecute,
       {1, 1, 0},
       kTrue,
       "PodsPendingEviction",
       "1 pod needs to be evicted in 1 namespace."},
      {"several pods in one namespace",
       kNoExecute,
       {3, 1, 0},
       kTrue,
       "PodsPendingEviction",
       "3 pods need to be evicted in 1 namespace."},
      {"several namespaces, and some gone already",
       kNoExecute,
       {3, 2, 1},
       kTrue,
       "PodsPendingEviction",
       "3 pods need to be evicted in 2 different namespaces. "
       "1 pod evicted since starting the controller."},
      {"done",
       kNoExecute,
       {0, 0, 12},
       kFalse,
       "Completed",
       "12 pods evicted since starting the controller."},
      {"nothing to do", kNoExecute, {0, 0, 0}, kFalse, "NotStarted", ""},
      {"a preview", TaintEffect::none, {0, 0, 0}, kFalse, "NoEffect", "(preview)"},
      {"a preview after evictions",
       TaintEffect::none,
       {0, 0, 2},
       kFalse,
       "NoEffect",
       "(preview) 2 pods evicted since starting the controller."},
      {"NoSchedule", TaintEffect::no_schedule, {0, 0, 0}, kFalse, "OtherEffect", kOther},
      {"an effect that we don't know",
       TaintEffect::other,
       {0, 0, 0},
       kFalse,
       "OtherEffect",
       kOther},
      {"another effect after evictions",
       TaintEffect::no_schedule,
       {0, 0, 1},
       kFalse,
       "OtherEffect",
       "Eviction only happens for the NoExecute effect. "
       "1 pod evicted since starting the controller."},
  };
  for (const TextRow& row : kRows) {
    SCOPED_TRACE(row.sentence);
    const api::Condition condition = decide_condition(row.effect, row.counts, "(preview)");
    EXPECT_EQ(condition.status, row.status);
    EXPECT_EQ(condition.reason, row.reason);
    EXPECT_EQ(condition.message, row.message);
  }
}

TEST(DecideCondition, previews) {
  EXPECT_EQ(describe(Preview{1, 1, 1, 1}),
            "1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 "
            "namespace if the effect was NoExecute. This information will not be updated again. "
            "Recreate the DeviceTaintRule to trigger an update.");
  EXPECT_EQ(
      describe(Preview{8, 5, 4, 2}),
      "8 published devices selected. 5 allocated devices selected. 4 pods would be evicted in "
      "2 different namespaces if the effect was NoExecute. This information will not be "
      "updated again. Recreate the DeviceTaintRule to trigger an update.");
  EXPECT_EQ(
      describe(Preview{0, 0, 0, 0}),
      "0 published devices selected. 0 allocated devices selected. 0 pods would be evicted in "
      "0 different namespaces if the effect was NoExecute. This information will not be "
      "updated again. Recreate the DeviceTaintRule to trigger an update.");
}

api::Condition condition(const std::string& reason, std::int64_t generation,
                         WallTime last_transition) {
  return {"EvictionInProgress", "False", reason, "m", generation, last_transition};
}

struct WriteRow {
  const char* sentence;
  test::RuleBuilder rule;
  ConditionPlan plan;
};

TEST(DecideCondition, decides_when_to_write) {
  const WallTime now = at(100s);
  const auto rule = [] { return test::make_rule("r", no_execute("k")).generation(2); };
  const ConditionPlan write = WriteCondition{condition("Completed", 2, now)};
  const WriteRow kRows[] = {
      {"a rule without one gets it at once", rule(), write},
      {"so does a new generation", rule().condition(condition("Completed", 1, now)), write},
      {"one that says the same stays", rule().condition(condition("Completed", 2, at(0s))),
       NoWrite{}},
      {"one that has just changed waits", rule().condition(condition("NotStarted", 2, now)),
       WriteLater{10s}},
      {"until 10 s are over", rule().condition(condition("NotStarted", 2, at(91s))),
       WriteLater{1s}},
      {"10 s later it is written", rule().condition(condition("NotStarted", 2, at(90s))), write},
      {"a time in the future is some other clock's",
       rule().condition(condition("NotStarted", 2, at(5000s))), write},
      {"no time at all", rule().condition(condition("NotStarted", 2, WallTime::min())), write},
  };
  for (const WriteRow& row : kRows) {
    EXPECT_EQ(decide_write(*row.rule.get(), condition("Completed", 0, {}), now), row.plan)
        << row.sentence;
  }
}

TEST(DecideCondition, writes_when_any_part_changes) {
  const WallTime now = at(100s);
  const api::Condition wanted = condition("Completed", 2, now);
  for (const auto& change : std::initializer_list<void (*)(api::Condition&)>{
           [](auto& c) { c.status = "True"; }, [](auto& c) { c.reason = "x"; },
           [](auto& c) { c.message = "x"; }}) {
    api::Condition old = condition("Completed", 2, at(0s));
    change(old);
    const auto rule = test::make_rule("r", no_execute("k")).generation(2).condition(old);
    EXPECT_EQ(decide_write(*rule.get(), wanted, now), ConditionPlan(WriteCondition{wanted}));
  }
}

}  // namespace
}  // namespace dcm::device_taint_eviction
