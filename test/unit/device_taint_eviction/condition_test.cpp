// The condition of a rule as its admin sees it, over time.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/cluster.hpp"

namespace dcm::device_taint_eviction {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kOnePending =
    "r: True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.";

test::RuleBuilder preview_rule() {
  return test::make_rule("r", with_effect(api::TaintEffect::none)).selects_all();
}

TEST(RuleCondition, counts_pods_to_evict_and_reports_completion_10_s_later) {
  Cluster cluster;
  for (const char* name : {"p", "q", "s"}) cluster.add_pod(name);
  cluster.start_with_rule(5s);
  const std::vector<std::string> calls = cluster.calls();
  ASSERT_EQ(calls.size(), 7U);
  EXPECT_EQ(calls[0], "r: True PodsPendingEviction: 3 pods need to be evicted in 1 namespace.");
  cluster.run_for(1min);
  EXPECT_THAT(cluster.calls(),
              ElementsAre("r: False Completed: 3 pods evicted since starting the controller."));
}

TEST(RuleCondition, advances_every_10_s_during_eviction) {
  Cluster cluster({.workers = 1});
  cluster.add_pods("p", 100);
  cluster.api.latency = 100ms;
  cluster.start_with_rule(1min);
  const std::vector<std::string> calls = cluster.condition_calls();
  // 20 s of work.
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls[0], "r: True PodsPendingEviction: 100 pods need to be evicted in 1 namespace.");
  EXPECT_TRUE(calls[1].starts_with("r: True PodsPendingEviction: 5")) << calls[1];
  EXPECT_TRUE(calls[1].ends_with("evicted since starting the controller.")) << calls[1];
  EXPECT_TRUE(calls[2].starts_with("r: True PodsPendingEviction: ")) << calls[2];
  EXPECT_EQ(calls[3], "r: False Completed: 100 pods evicted since starting the controller.");
}

TEST(RuleCondition, reports_rule_without_matching_pods) {
  Cluster cluster;
  cluster.start_with_rule(1h);
  EXPECT_THAT(cluster.calls(), ElementsAre("r: False NotStarted: "));
}

TEST(RuleCondition, falls_back_when_pods_cease_to_be_pending) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  cluster.start_with_rule(1min);
  cluster.api.remove_pod("p");
  cluster.run_for(1min);
  EXPECT_THAT(cluster.calls(), ElementsAre(kOnePending, "r: False NotStarted: "));
}

TEST(RuleCondition, is_written_at_once_for_new_generation) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  cluster.start_with_rule(2s);
  cluster.api.put(
      test::make_rule("r", with_effect(api::TaintEffect::no_schedule)).selects_all().generation(2));
  cluster.run_for(2s);
  EXPECT_THAT(cluster.calls(),
              ElementsAre(kOnePending,
                          "r: False OtherEffect: Eviction only happens for the NoExecute effect."));
  EXPECT_THAT(cluster.events.texts, ElementsAre("p: Cancelling deletion"));
}

TEST(RuleCondition, is_not_written_for_short_lived_rule) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.run_for(1s);
  for (const test::RuleBuilder& rule : {Cluster::rule_for_all(), preview_rule()}) {
    cluster.api.put(rule);
    cluster.api.remove_rule("r");
    cluster.run_for(1s);
  }
  EXPECT_THAT(cluster.calls(), IsEmpty());
}

TEST(RuleCondition, keeps_number_of_evicted_pods_when_effect_changes) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start_with_rule(1min);
  cluster.api.put(
      test::make_rule("r", with_effect(api::TaintEffect::no_schedule)).selects_all().generation(2));
  cluster.run_for(1s);
  EXPECT_EQ(cluster.condition(),
            "OtherEffect: Eviction only happens for the NoExecute effect. 1 pod evicted since "
            "starting the controller.");
  cluster.api.remove_rule("r");
  cluster.api.put(Cluster::rule_for_all().with_uid("again"));
  cluster.run_for(1min);
  EXPECT_EQ(cluster.condition(), "NotStarted: ");
}

TEST(RuleCondition, previews_once_per_generation) {
  constexpr const char* kOne =
      "NoEffect: 0 published devices selected. 1 allocated device selected. 1 pod would be evicted "
      "in 1 namespace if the effect was NoExecute. This information will not be updated again. "
      "Recreate the DeviceTaintRule to trigger an update.";
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.api.put(preview_rule());
  cluster.run_for(1min);
  EXPECT_EQ(cluster.condition(), kOne);
  cluster.add_pod("q");
  cluster.run_for(1min);
  EXPECT_EQ(cluster.condition(), kOne);
  EXPECT_EQ(cluster.calls().size(), 1U);
  cluster.api.put(preview_rule().generation(2));
  cluster.run_for(1min);
  EXPECT_THAT(cluster.condition(), testing::HasSubstr("2 pods would be evicted"));
}

TEST(RuleCondition, previews_after_restart_and_writes_only_differences) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.api.put(preview_rule());
  cluster.run_for(1min);
  cluster.kill();
  cluster.start();
  cluster.run_for(1min);
  EXPECT_EQ(cluster.calls().size(), 1U) << "the text is the same";
  cluster.kill();
  cluster.add_pod("q");
  cluster.start();
  cluster.run_for(1min);
  EXPECT_EQ(cluster.calls().size(), 1U);
  EXPECT_THAT(cluster.condition(), testing::HasSubstr("2 pods would be evicted"));
}

TEST(RuleCondition, waits_for_rest_of_10_s_after_restart) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  cluster.start_with_rule(3s);
  cluster.kill();
  cluster.add_pod("q", {exists("burnt", 1h)});
  cluster.calls();
  cluster.start();
  cluster.run_for(6s);
  EXPECT_THAT(cluster.calls(), IsEmpty());
  cluster.run_for(2s);
  EXPECT_THAT(
      cluster.calls(),
      ElementsAre("r: True PodsPendingEviction: 2 pods need to be evicted in 1 namespace."));
}

// Its pods are counted in slices.
TEST(RuleCondition, waits_after_restart_until_pods_are_counted) {
  Cluster cluster;
  cluster.add_pods("p", 3000, {exists("burnt", 1h)});
  cluster.start_with_rule(1min);
  cluster.kill();
  cluster.calls();
  cluster.start();
  cluster.run_for(1min);
  EXPECT_THAT(cluster.calls(), IsEmpty());
}

TEST(RuleCondition, waits_for_pod_search) {
  Cluster cluster;
  cluster.add_pods("p", 3000, {exists("burnt", 1h)});
  cluster.start_with_rule(3s);
  cluster.add_pod("q", {exists("burnt", 1h)});
  cluster.run_for(1s);
  cluster.calls();
  // The 10 s end at the same instant.
  cluster.loop.time().schedule(runtime::MonoTime(10s), [&] {
    cluster.api.put(
        test::make_rule("r", no_execute("burnt")).selects("", "pool-q", "").generation(2));
  });
  cluster.run_for(7s);
  EXPECT_THAT(cluster.calls(), ElementsAre(kOnePending));
}

TEST(RuleCondition, is_not_rewritten_while_watch_lags) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  cluster.start();
  cluster.api.put(Cluster::rule_for_all());
  cluster.hold_watch();
  cluster.run_for(59min);
  EXPECT_THAT(cluster.calls(), ElementsAre(kOnePending));
}

TEST(RuleCondition, corrects_change_by_another_client) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  cluster.start_with_rule(1min);
  cluster.calls();
  api::DeviceTaintRule changed = *cluster.api.rules.begin()->second;
  changed.condition->message = "something else";
  cluster.api.set(RulePtr(std::move(changed)));
  cluster.run_for(1s);
  EXPECT_THAT(cluster.calls(), ElementsAre(kOnePending));
}

TEST(RuleCondition, is_retried_without_delaying_evictions) {
  Cluster cluster;
  cluster.add_pod("p");
  int failures = 5;
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (!call.starts_with("r: ") || failures-- <= 0) return Fault{};
    return refused(runtime::Reason::forbidden);
  };
  cluster.start_with_rule(1min);
  EXPECT_EQ(cluster.pod_calls().size(), 2U);
  EXPECT_EQ(cluster.condition(), "Completed: 1 pod evicted since starting the controller.");
}

TEST(RuleCondition, costs_few_requests_while_forbidden) {
  Cluster cluster;
  cluster.add_pods("p", 500);
  bool is_allowed = false;
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (is_allowed || !call.starts_with("r: ")) return Fault{};
    return refused(runtime::Reason::forbidden);
  };
  cluster.start_with_rule(1min);
  EXPECT_EQ(cluster.api.deletions.size(), 500U);
  // 5 ms, doubled each time.
  EXPECT_LE(cluster.condition_calls().size(), 15U);
  // A new generation is no reason to wait.
  cluster.api.put(Cluster::rule_for_all(1s).generation(2));
  cluster.run_for(10ms);
  EXPECT_EQ(cluster.condition_calls().size(), 1U);
  is_allowed = true;
  cluster.run_for(20min);
  EXPECT_EQ(cluster.condition(), "Completed: 500 pods evicted since starting the controller.");
}

// Pods go during a write, so its failure comes after later changes.
TEST(RuleCondition, waits_for_answer_however_many_pods_go_while_forbidden) {
  Cluster cluster;
  cluster.api.latency = cluster.api.answer_latency = 500us;
  cluster.add_pods("p", 500);
  cluster.api.fault = [](std::size_t, const std::string& call) {
    if (!call.starts_with("r: ")) return Fault{};
    return refused(runtime::Reason::forbidden);
  };
  cluster.start_with_rule(1min);
  EXPECT_EQ(cluster.api.deletions.size(), 500U);
  EXPECT_LE(cluster.condition_calls().size(), 15U);
}

TEST(RuleCondition, reports_pods_that_go_before_answer) {
  Cluster cluster;
  cluster.api.latency = cluster.api.answer_latency = 500us;
  cluster.add_pods("p", 100);
  cluster.start_with_rule(1min);
  EXPECT_EQ(cluster.condition(), "Completed: 100 pods evicted since starting the controller.");
}

TEST(RuleCondition, costs_few_requests_without_status_subresource) {
  Cluster cluster;
  cluster.add_pods("p", 50);
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (!call.starts_with("r: ")) return Fault{};
    return refused(runtime::Reason::not_served);
  };
  cluster.start_with_rule(9min);
  EXPECT_LE(cluster.condition_calls().size(), 18U);
  EXPECT_EQ(cluster.api.deletions.size(), 50U);
}

// The answer of a proxy that is being restarted.
TEST(RuleCondition, retries_soon_after_not_found) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  bool is_first = true;
  cluster.api.fault = [&](std::size_t, const std::string&) {
    if (!std::exchange(is_first, false)) return Fault{};
    return refused(runtime::Reason::not_served);
  };
  cluster.start();
  cluster.api.put(Cluster::rule_for_all());
  cluster.api.put(test::make_rule("s", no_execute("burnt")).selects_all());
  cluster.run_for(1s);
  EXPECT_EQ(cluster.condition("r").substr(0, 19), "PodsPendingEviction");
  EXPECT_EQ(cluster.condition("s").substr(0, 19), "PodsPendingEviction");
}

TEST(RuleCondition, respects_retry_after) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  bool is_first = true;
  cluster.api.fault = [&](std::size_t, const std::string&) {
    if (!std::exchange(is_first, false)) return Fault{};
    return refused({runtime::Reason::too_many_requests, "busy", 429, runtime::Duration(10s)});
  };
  cluster.start_with_rule(9900ms);
  EXPECT_EQ(cluster.condition_calls().size(), 1U);
  cluster.run_for(1s);
  EXPECT_EQ(cluster.condition_calls().size(), 1U);
}

TEST(RuleCondition, backs_off_despite_shorter_retry_after) {
  for (const runtime::Duration wish : {0s, 1s}) {
    Cluster cluster;
    cluster.add_pod("p", {exists("burnt", 1h)});
    cluster.api.fault = [&](std::size_t, const std::string&) {
      return refused({runtime::Reason::service_unavailable, "no backend", 503, wish});
    };
    cluster.start_with_rule(10min);
    EXPECT_LE(cluster.condition_calls().size(), 20U);
  }
}

// Failures of the earlier rule do not count.
TEST(RuleCondition, resets_backoff_for_recreated_rule) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  bool fails = true;
  cluster.api.fault = [&](std::size_t, const std::string&) {
    if (!fails) return Fault{};
    return refused(runtime::Reason::forbidden);
  };
  cluster.start_with_rule(20min);
  cluster.api.remove_rule("r");
  cluster.run_for(1s);
  cluster.calls();
  cluster.api.put(Cluster::rule_for_all().with_uid("another"));
  cluster.loop.time().schedule(cluster.loop.time().now() + 4ms, [&] { fails = false; });
  cluster.run_for(1s);
  EXPECT_EQ(cluster.condition("r").substr(0, 19), "PodsPendingEviction");
}

// A policy rejects it for a while: nothing announces the end of that.
TEST(RuleCondition, retries_rarely_if_invalid) {
  for (const runtime::Reason reason : {runtime::Reason::invalid, runtime::Reason::bad_request}) {
    SCOPED_TRACE(runtime::to_string(reason));
    Cluster cluster;
    for (int i = 0; i < 50; ++i) {
      cluster.add_pod("p" + std::to_string(i), {exists("burnt", seconds(20 * i))});
    }
    bool is_refused = true;
    cluster.api.fault = [&](std::size_t, const std::string& call) {
      if (!is_refused || !call.starts_with("r: ")) return Fault{};
      return refused({reason, "not like this"});
    };
    cluster.start_with_rule(20min);
    EXPECT_EQ(cluster.api.deletions.size(), 50U);
    EXPECT_LE(cluster.condition_calls().size(), 20U);
    const auto topics = cluster.controller().explain_rule(*cluster.controller().find_rule("r"));
    EXPECT_TRUE(std::ranges::any_of(topics.back().findings, [](const auto& each) {
      return each.reason == "LastProblem" && each.text.find("not like this") != each.text.npos;
    }));
    is_refused = false;
    cluster.run_for(20min);
    EXPECT_EQ(cluster.condition(), "Completed: 50 pods evicted since starting the controller.");
  }
}

TEST(RuleCondition, explains_invalid_rule_and_logs_reason) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.api.put(Cluster::rule_for_all().unknown_selector_field("deviceClassName"));
  cluster.run_for(1min);
  EXPECT_THAT(cluster.calls(), ElementsAre("r: False NotStarted: "));
  EXPECT_TRUE(cluster.logged("deviceClassName"));
}

TEST(RuleCondition, explains_taint_without_time_and_logs_reason) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  api::DeviceTaint timeless = no_execute("burnt");
  timeless.time_added.reset();
  cluster.api.put(test::make_rule("r", timeless).selects_all());
  cluster.api.put(test::make_slice("s", "pool-p").device("gpu-0", {timeless}));
  cluster.run_for(1min);
  EXPECT_THAT(cluster.calls(), ElementsAre("r: False NotStarted: "));
  EXPECT_TRUE(cluster.logged("DeviceTaintRule is ignored"));
  EXPECT_TRUE(cluster.logged("Taints of a ResourceSlice are ignored"));
}

}  // namespace
}  // namespace dcm::device_taint_eviction
