// Each body, character for character.
#include "controllers/api/encode_device_taint.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "controllers/api/resources.hpp"

namespace dcm::api {
namespace {

using namespace std::chrono_literals;

constexpr runtime::WallTime kTime = std::chrono::sys_days(2027y / 3 / 1) + 10h + 15min;

TEST(EncodeDisruptionTarget, includes_time) {
  EXPECT_EQ(encode_disruption_target(Uid("u-1"), kTime, TransitionTime::now),
            R"({"metadata":{"uid":"u-1"},"status":{"conditions":[{"type":"DisruptionTarget",)"
            R"("status":"True","reason":"DeletionByDeviceTaintManager",)"
            R"("message":"Device Taint manager: deleting due to NoExecute taint",)"
            R"("lastTransitionTime":"2027-03-01T10:15:00Z"}]}})");
}

TEST(EncodeDisruptionTarget, keeps_time_if_already_true) {
  EXPECT_EQ(encode_disruption_target(Uid("u-1"), kTime, TransitionTime::unchanged),
            R"({"metadata":{"uid":"u-1"},"status":{"conditions":[{"type":"DisruptionTarget",)"
            R"("status":"True","reason":"DeletionByDeviceTaintManager",)"
            R"("message":"Device Taint manager: deleting due to NoExecute taint"}]}})");
}

TEST(EncodeEviction, includes_uid_as_precondition) {
  EXPECT_EQ(encode_eviction({"ml", "learner-3"}, Uid("u-1")),
            R"({"apiVersion":"policy/v1","kind":"Eviction",)"
            R"("metadata":{"name":"learner-3","namespace":"ml"},)"
            R"("deleteOptions":{"preconditions":{"uid":"u-1"}}})");
}

TEST(EncodeRuleCondition, includes_empty_message) {
  const Resource rules{&kDeviceTaintRules, "v1beta2"};
  const ObjectMeta rule{{{}, "hot"}, Uid("u-2"), ResourceVersion("9")};
  const Condition condition{"EvictionInProgress", "False", "NotStarted", "", 3, kTime};
  EXPECT_EQ(encode_rule_condition(rules, rule, condition),
            R"({"apiVersion":"resource.k8s.io/v1beta2","kind":"DeviceTaintRule",)"
            R"("metadata":{"name":"hot","uid":"u-2"},)"
            R"("status":{"conditions":[{"type":"EvictionInProgress","status":"False",)"
            R"("reason":"NotStarted","message":"","observedGeneration":3,)"
            R"("lastTransitionTime":"2027-03-01T10:15:00Z"}]}})");
}

}  // namespace
}  // namespace dcm::api
