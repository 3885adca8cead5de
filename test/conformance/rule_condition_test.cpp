// The status of a DeviceTaintRule, and how often it is written.
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "test/conformance/eviction_case.hpp"

namespace dcm::conformance {
namespace {

class RuleCondition : public EvictionCase {
 protected:
  static std::string preview(const std::string& numbers) {
    return "False NoEffect: " + numbers +
           " if the effect was NoExecute. This information will not be updated again. Recreate the "
           "DeviceTaintRule to trigger an update.";
  }
};

TEST_F(RuleCondition, counts_pods_to_evict_and_10_s_later_evicted_pods) {
  reference("may say NotStarted at first, and the number of pods only 10 s later");
  faults();
  create_users(30);
  start_manager();
  const auto start = std::chrono::steady_clock::now();
  create_rule("rule");
  EXPECT_TRUE(all_go_but(0));
  EXPECT_TRUE(says_soon("rule", "False Completed: 30 pods evicted since starting the controller."));
  const auto writes = condition_writes("rule");
  ASSERT_FALSE(writes.empty());
  const auto elapsed = std::chrono::steady_clock::now() - start;
  // Every 10 s at most, by timestamps in whole seconds.
  EXPECT_LE(std::ssize(writes), 1 + elapsed / std::chrono::seconds(9));
  EXPECT_NE(writes[0].body.find("30 pods need to be evicted in 1 namespace."), std::string::npos)
      << writes[0].body;
}

TEST_F(RuleCondition, is_written_once_without_matching_pods) {
  faults();
  start_manager();
  create_rule("rule", "NoExecute", {{"pool", "nobodys"}});
  EXPECT_TRUE(says_soon("rule", "False NotStarted: "));
  kube().must_patch(rule_path("rule") + "/status?fieldManager=somebody&force=true",
                    Kube::Patch::apply,
                    json::parse(fmt::format(
                        R"({{"apiVersion":"{}","kind":"DeviceTaintRule",
                        "metadata":{{"name":"{}-rule"}},"status":{{"conditions":[{{
                        "type":"Seen","status":"True","reason":"ByMe","message":"",
                        "lastTransitionTime":"2026-01-01T00:00:00Z"}}]}}}})",
                        rule_api(), ns())));
  change_rule("rule", {{"taint", {{"value", "hopelessly"}}}});
  EXPECT_TRUE(soon("the new generation is seen", [&] {
    const json::value rule = kube().must_get(rule_path("rule"));
    for (const json::value& each : at(rule, "/status/conditions").as_array()) {
      if (text_at(each, "/type") == "EvictionInProgress") {
        return at(each, "/observedGeneration") == 2;
      }
    }
    return false;
  }));
  const json::value rule = kube().must_get(rule_path("rule"));
  EXPECT_EQ(at(rule, "/status/conditions").as_array().size(), 2U);
  EXPECT_EQ(condition_writes("rule").size(), 2U);
}

TEST_F(RuleCondition, previews_with_effect_None) {
  start_manager();
  create_user("p");
  create_user("tolerant", {{.name = "gpu-1", .tolerations = {tolerates("broken")}}});
  publish("slice", {});
  publish("more", {.pool = "node-b"});
  settle_evictions();
  create_rule("rule", "None");
  const std::string text = preview(
      "2 published devices selected. 2 allocated devices selected. 1 pod would be evicted in 1 "
      "namespace");
  EXPECT_TRUE(says_soon("rule", text));
  create_user("later", {{.name = "gpu-2"}});
  settle_evictions();
  EXPECT_EQ(condition_of("rule"), text) << "it is not kept up to date";
  change_rule("rule", {{"taint", {{"effect", "NoExecute"}}}});
  // The next one comes after 10 s.
  EXPECT_TRUE(
      says_soon("rule", "True PodsPendingEviction: 2 pods need to be evicted in 1 namespace."));
  EXPECT_TRUE(goes_soon("p"));
  EXPECT_TRUE(goes_soon("later"));
  EXPECT_FALSE(is_going("tolerant"));
}

TEST_F(RuleCondition, explains_effects_without_eviction) {
  start_manager();
  create_user("p");
  create_rule("rule", "NoSchedule");
  EXPECT_TRUE(
      says_soon("rule", "False OtherEffect: Eviction only happens for the NoExecute effect."));
}

TEST_F(RuleCondition, counts_later_evictions_and_follows_rule) {
  start_manager();
  create_user("p", {{.tolerations = {tolerates("broken", 3600)}}});
  create_user("q", {{.pool = "node-b", .tolerations = {tolerates("broken", 7200)}}});
  create_rule("rule");
  EXPECT_TRUE(
      says_soon("rule", "True PodsPendingEviction: 2 pods need to be evicted in 1 namespace."));
  change_rule("rule", {{"deviceSelector", {{"pool", "node-b"}}}});
  EXPECT_TRUE(
      says_soon("rule", "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace."));
}

TEST_F(RuleCondition, falls_back_when_pods_cease_to_be_pending) {
  reference("leaves it at True");
  start_manager();
  create_user("p", {{.tolerations = {tolerates("broken", 3600)}}});
  create_rule("rule");
  EXPECT_TRUE(
      says_soon("rule", "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace."));
  delete_pod("p");
  EXPECT_TRUE(says_soon("rule", "False NotStarted: "));
}

TEST_F(RuleCondition, is_not_rewritten_by_new_manager_if_true) {
  faults();
  start_manager();
  create_user("p", {{.tolerations = {tolerates("broken", 3600)}}});
  create_rule("rule");
  create_rule("preview", "None");
  EXPECT_TRUE(
      says_soon("rule", "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace."));
  EXPECT_TRUE(soon("so says the other", [&] { return !condition_of("preview").empty(); }));
  const std::size_t before = condition_writes("rule").size();
  start_manager();
  settle_evictions();
  EXPECT_EQ(condition_writes("rule").size(), before);
  EXPECT_EQ(condition_writes("preview").size(), 1U);
}

TEST_F(RuleCondition, drops_count_with_rule) {
  start_manager();
  create_user("p");
  create_rule("rule");
  EXPECT_TRUE(goes_soon("p"));
  delete_rule("rule");
  delete_pod("p");
  settle_evictions();
  create_rule("rule");
  EXPECT_TRUE(says_soon("rule", "False NotStarted: "));
}

}  // namespace
}  // namespace dcm::conformance
