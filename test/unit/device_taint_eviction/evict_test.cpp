// The controller end to end on virtual time: which pods are evicted, when, and by which requests.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/cluster.hpp"

namespace dcm::device_taint_eviction {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kEvictions = "device_taint_eviction_controller_pod_deletions_total";

TEST(PodEviction, sends_two_requests_and_an_event_for_that_pod_only) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.add_pod("q", {exists("burnt")});
  cluster.start();
  cluster.run_for(1min);
  EXPECT_THAT(cluster.calls(), IsEmpty());
  cluster.api.put(Cluster::rule_for_all());
  cluster.run_for(1min);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p"));
  EXPECT_THAT(cluster.events.texts, ElementsAre("p: Marking for deletion"));
  EXPECT_EQ(cluster.metric(kEvictions), 1);
  EXPECT_EQ(cluster.metric("device_taint_eviction_controller_pod_deletion_duration_seconds_count"),
            1);
  EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_pending"), 0);
}

TEST(PodEviction, follows_driver_taint) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.add_pod("q");
  cluster.start();
  cluster.api.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  cluster.run_for(1s);
  EXPECT_THAT(cluster.calls(), ElementsAre("mark p", "remove p"));
}

TEST(PodEviction, evicts_each_pod_when_due) {
  Cluster cluster;
  cluster.add_pod("now");
  cluster.add_pod("soon", {exists("burnt", 30s)});
  cluster.add_pod("later", {exists("burnt", 5min)});
  cluster.start_with_rule(1s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark now", "remove now"));
  cluster.run_for(28s);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty());
  cluster.run_for(2s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark soon", "remove soon"));
  cluster.run_for(4min + 28s);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty());
  EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_pending"), 1);
  cluster.run_for(2s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark later", "remove later"));
}

TEST(PodEviction, survives_jump_of_wall_clock) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 1h)});
  cluster.start_with_rule(1min);
  cluster.loop.time().step_wall(1h);
  cluster.run_for(61s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p"));
}

TEST(PodEviction, never_evicts_pod_due_in_centuries) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", seconds(std::numeric_limits<std::int64_t>::max()))});
  cluster.start_with_rule(100h);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty());
  EXPECT_EQ(cluster.condition(), "PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.");
}

TEST(PodEviction, evicts_pod_due_centuries_ago_at_once) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  api::DeviceTaint ancient = no_execute("burnt");
  ancient.time_added = WallTime::min();
  cluster.api.put(test::make_rule("r", ancient).selects_all());
  cluster.run_for(1s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p"));
}

TEST(PodEviction, spares_pod_if_reason_goes_in_time) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 30s)});
  cluster.start_with_rule(29s);
  cluster.api.remove_rule("r");
  cluster.run_for(1h);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty());
  EXPECT_THAT(cluster.events.texts, ElementsAre("p: Cancelling deletion"));
  EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_pending"), 0);
}

TEST(PodEviction, spares_pod_if_reason_goes_between_mark_and_delete) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (call == "mark p") cluster.api.remove_rule("r");
    return Fault{};
  };
  cluster.start_with_rule(1h);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p"));
  EXPECT_THAT(cluster.events.texts, ElementsAre("p: Cancelling deletion"));
}

TEST(PodEviction, spares_pod_replaced_between_mark_and_delete) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (call == "remove p") {
      cluster.hold_watch();
      cluster.api.remove_pod("p");
      cluster.api.put(user_of_claim("p").with_uid("new"));
    }
    return Fault{};
  };
  cluster.start_with_rule(1min);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p"));
  EXPECT_THAT(cluster.api.deletions, IsEmpty());
  EXPECT_EQ(cluster.metric(kEvictions), 0);
  cluster.release_watch();
  cluster.run_for(1min);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty()) << "the claim is not reserved for the new one";
}

TEST(PodEviction, spares_pod_replaced_before_mark) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.api.put(Cluster::rule_for_all());
  cluster.hold_watch();
  cluster.api.remove_pod("p");
  cluster.api.put(user_of_claim("p").with_uid("new"));
  cluster.run_for(1min);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p"));
  EXPECT_EQ(cluster.metric(kEvictions), 0);
}

TEST(PodEviction, counts_delete_with_lost_answer_once) {
  struct Row {
    const char* sentence;
    void (*then)(Cluster&);
  };
  const Row kRows[] = {
      {"the watch shows that it is being deleted", [](Cluster&) {}},
      {"the watch shows that it is gone", [](Cluster& c) { c.api.remove_pod("p"); }},
      {"the watch shows nothing, and the second DELETE is accepted",
       [](Cluster& c) { c.hold_watch(); }},
      {"the watch shows nothing, and the second DELETE finds nobody",
       [](Cluster& c) {
         c.hold_watch();
         c.api.remove_pod("p");
       }},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.sentence);
    Cluster cluster;
    cluster.add_pod("p");
    bool is_first = true;
    cluster.api.fault = [&](std::size_t, const std::string& call) {
      if (call != "remove p" || !std::exchange(is_first, false)) return Fault{};
      // The request is in flight: the watch event comes after it was executed.
      cluster.loop.time().schedule(cluster.loop.time().now() + 2ms, [&] { row.then(cluster); });
      if (std::string_view(row.sentence).contains("nothing")) {
        cluster.hold_watch();
      }
      return lost(runtime::Reason::disconnected);
    };
    cluster.start_with_rule(1min);
    EXPECT_EQ(cluster.metric(kEvictions), 1);
    EXPECT_EQ(cluster.api.deletions[test::uid_of("p").str()], 1);
    EXPECT_EQ(cluster.condition(), "Completed: 1 pod evicted since starting the controller.");
  }
}

TEST(PodEviction, ignores_pod_deleted_by_another_client) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 30s)});
  cluster.start_with_rule(1s);
  cluster.api.put(user_of_claim("p").being_deleted());
  cluster.run_for(1h);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty());
  EXPECT_THAT(cluster.events.texts, IsEmpty());
  EXPECT_EQ(cluster.metric(kEvictions), 0);
  EXPECT_EQ(cluster.condition(), "NotStarted: ");
}

TEST(PodEviction, counts_finished_pod) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 30s)});
  cluster.start_with_rule(1s);
  cluster.api.put(user_of_claim("p").phase(api::PodPhase::succeeded));
  cluster.run_for(1h);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty());
  EXPECT_THAT(cluster.events.texts, IsEmpty());
}

TEST(PodEviction, continues_while_one_pod_cannot_be_deleted) {
  Cluster cluster({.workers = 1});
  cluster.add_pod("a-stubborn");
  cluster.add_pod("p");
  cluster.api.fault = [](std::size_t, const std::string& call) {
    return call == "remove a-stubborn" ? refused(runtime::Reason::forbidden) : Fault{};
  };
  cluster.start_with_rule(1s);
  EXPECT_EQ(cluster.api.deletions[test::uid_of("p").str()], 1);
  EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_stuck"), 1);
  EXPECT_EQ(cluster.condition(), "PodsPendingEviction: 2 pods need to be evicted in 1 namespace.");
  cluster.run_for(1h);
  const std::vector<std::string> calls = cluster.pod_calls();
  EXPECT_EQ(std::ranges::count(calls, "mark a-stubborn"), 1) << "the mark stays";
  EXPECT_LT(std::ranges::count(calls, "remove a-stubborn"), 30) << "the backoff grows";
  EXPECT_EQ(std::ranges::count(cluster.events.texts, "a-stubborn: Marking for deletion"), 1);
  cluster.api.fault = [](std::size_t, const std::string&) { return Fault{}; };
  cluster.run_for(1h);
  EXPECT_EQ(cluster.metric(kEvictions), 2);
  EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_stuck"), 0);
}

TEST(PodEviction, forgets_failure_of_pod_that_may_stay) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.fault = [](std::size_t, const std::string& call) {
    return call == "remove p" ? refused(runtime::Reason::forbidden) : Fault{};
  };
  cluster.start_with_rule(1min);
  EXPECT_TRUE(cluster.explains("p", "LastProblem"));
  cluster.api.remove_rule("r");
  cluster.run_for(1h);
  EXPECT_FALSE(cluster.explains("p", "LastProblem"));
}

TEST(PodEviction, respects_retry_after_of_overloaded_server) {
  Cluster cluster;
  cluster.add_pod("p");
  std::size_t refusals = 1;
  cluster.api.fault = [&](std::size_t, const std::string&) {
    if (refusals == 0) return Fault{};
    --refusals;
    return refused({runtime::Reason::too_many_requests, "busy", 429, runtime::Duration(5s)});
  };
  cluster.start();
  cluster.api.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  cluster.run_for(4s);
  EXPECT_EQ(cluster.pod_calls().size(), 1U);
  cluster.run_for(2s);
  EXPECT_EQ(cluster.metric(kEvictions), 1);
}

TEST(PodEviction, retries_eviction_api_while_budget_forbids) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pod("p");
  cluster.add_pod("q");
  cluster.api.protected_pods = {"p"};
  cluster.start_with_rule(1min);
  EXPECT_EQ(cluster.api.deletions.size(), 1U);
  EXPECT_EQ(cluster.api.deletions[test::uid_of("q").str()], 1);
  EXPECT_EQ(cluster.api.pods.at({"lab", "p"})->disruption_target, api::DisruptionTarget::none);
  cluster.api.protected_pods.clear();
  cluster.run_for(10min);
  EXPECT_EQ(cluster.api.deletions[test::uid_of("p").str()], 1);
  for (const std::string& call : cluster.pod_calls())
    EXPECT_TRUE(call.starts_with("evict ")) << call;
}

TEST(PodEviction, respects_retry_after_of_eviction_api_for_one_pod) {
  Cluster cluster({.workers = 1, .mode = EvictionMode::evict});
  cluster.add_pod("p");
  cluster.add_pod("q");
  cluster.api.fault = [&](std::size_t number, const std::string& call) {
    if (call != "evict p" || number > 5) return Fault{};
    return refused({runtime::Reason::disruption_budget, "ask again", 429, runtime::Duration(10s)});
  };
  cluster.start();
  cluster.api.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  cluster.api.put(test::make_slice("t", "pool-q").device("gpu-0", {no_execute("burnt")}));
  cluster.run_for(9s);
  EXPECT_THAT(cluster.pod_calls(), UnorderedElementsAre("evict p", "evict q"));
  cluster.run_for(2s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("evict p"));
  cluster.run_for(1min);
  EXPECT_EQ(cluster.metric(kEvictions), 2);
}

TEST(PodEviction, respects_rate) {
  Cluster cluster({.evictions_per_second = 2});
  cluster.add_pods("p", 10);
  cluster.start();
  cluster.api.put(Cluster::rule_for_all());
  for (int second = 0; second < 5; ++second) {
    EXPECT_EQ(cluster.api.deletions.size(), static_cast<std::size_t>(2 * second));
    cluster.run_for(second == 0 ? 990ms : 1000ms);
  }
  EXPECT_EQ(cluster.api.deletions.size(), 10U);
}

TEST(PodEviction, sends_two_requests_per_pod_eight_at_a_time) {
  Cluster cluster;
  cluster.add_pods("p", 500);
  cluster.api.latency = 20ms;
  cluster.start_with_rule(1min);
  const std::vector<std::string> calls = cluster.pod_calls();
  EXPECT_EQ(calls.size(), 1000U);
  EXPECT_EQ(std::set<std::string>(calls.begin(), calls.end()).size(), 1000U);
  EXPECT_EQ(cluster.api.in_flight_max, 8U);
  EXPECT_EQ(cluster.metric(kEvictions), 500);
}

TEST(PodEviction, sends_large_groups_at_backlog_priority) {
  Cluster cluster;
  cluster.add_pods("p", 200);
  cluster.start_with_rule(1min);
  const std::vector<std::string> calls = cluster.calls();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool is_condition = calls[i].contains(": ");
    if (is_condition || i > 250) EXPECT_EQ(cluster.api.priorities[i], Priority::live) << calls[i];
    if (!is_condition && i < 150) EXPECT_EQ(cluster.api.priorities[i], Priority::backlog);
  }
}

TEST(PodEviction, waits_on_standby_and_then_evicts_due_pods) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.put(Cluster::rule_for_all());
  cluster.start_standby();
  cluster.add_pod("q");
  cluster.run_for(1h);
  EXPECT_THAT(cluster.calls(), IsEmpty());
  cluster.activate();
  cluster.run_for(1s);
  EXPECT_THAT(cluster.pod_calls(),
              UnorderedElementsAre("mark p", "remove p", "mark q", "remove q"));
}

TEST(PodEviction, ignores_older_generation_that_arrives_first) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.put(test::make_slice("a", "pool-p").device("gpu-0", {no_execute("burnt")}));
  cluster.api.put(test::make_slice("b", "pool-p").generation(2).device("gpu-0"));
  cluster.start();
  cluster.run_for(1h);
  EXPECT_THAT(cluster.calls(), IsEmpty());
}

TEST(PodEviction, follows_rules_that_are_served_later) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.put(Cluster::rule_for_all());
  cluster.start_standby(Cluster::Rules::not_served);
  cluster.activate();
  cluster.run_for(1h);
  EXPECT_THAT(cluster.calls(), IsEmpty());
  cluster.serve_rules();
  cluster.run_for(1min);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p"));
  EXPECT_EQ(cluster.condition(), "Completed: 1 pod evicted since starting the controller.");
}

// Kubernetes 1.34 serves such rules.
TEST(PodEviction, writes_no_condition_to_rules_without_status) {
  for (const auto role : {Cluster::Role::writes, Cluster::Role::dry_run}) {
    Cluster cluster;
    cluster.role = role;
    cluster.add_pod("p");
    cluster.api.put(Cluster::rule_for_all());
    cluster.start_standby(Cluster::Rules::served_without_status);
    cluster.activate();
    cluster.run_for(1min);
    EXPECT_THAT(cluster.condition_calls(), IsEmpty());
    EXPECT_EQ(cluster.condition(), "");
    EXPECT_FALSE(cluster.logged("devicetaintrules/status"));
  }
}

TEST(PodEviction, finishes_started_work_on_stop) {
  Cluster cluster({.workers = 1});
  cluster.add_pods("p", 5);
  cluster.api.latency = 100ms;
  cluster.start();
  cluster.api.put(test::make_slice("s", "pool-p0").device("gpu-0", {no_execute("burnt")}));
  cluster.api.put(test::make_slice("t", "pool-p1").device("gpu-0", {no_execute("burnt")}));
  cluster.run_for(50ms);
  cluster.stop();
  EXPECT_EQ(cluster.pod_calls().size(), 2U);
  EXPECT_EQ(cluster.api.deletions.size(), 1U);
}

TEST(PodEviction, evicts_each_pod_once_despite_restart) {
  for (int after = 0; after < 60; after += 3) {
    SCOPED_TRACE(after);
    Cluster cluster;
    cluster.add_pods("p", 100);
    cluster.start_with_rule(std::chrono::milliseconds(after));
    cluster.kill();
    cluster.start();
    cluster.run_for(1min);
    EXPECT_EQ(cluster.api.deletions.size(), 100U);
    for (const auto& [uid, times] : cluster.api.deletions) EXPECT_EQ(times, 1) << uid;
  }
}

// Whatever fails at whichever call, the result is the same.
TEST(PodEviction, survives_failure_at_every_step) {
  using enum runtime::Reason;
  const auto run = [](std::size_t failing, const Fault& fault) {
    Cluster cluster;
    cluster.add_pod("p");
    cluster.add_pod("q", {exists("burnt", 5s)});
    cluster.api.fault = [=](std::size_t number, const std::string&) {
      return number == failing ? fault : Fault{};
    };
    cluster.start_with_rule(5min);
    EXPECT_EQ(cluster.api.deletions[test::uid_of("p").str()], 1);
    EXPECT_EQ(cluster.api.deletions[test::uid_of("q").str()], 1);
    EXPECT_EQ(cluster.metric(kEvictions), 2);
    EXPECT_EQ(cluster.condition(), "Completed: 2 pods evicted since starting the controller.");
    EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_pending"), 0);
    return cluster.api.calls.size();
  };
  const std::size_t steps = run(1000, {});
  for (std::size_t step = 0; step < steps; ++step) {
    for (const runtime::Reason reason :
         {internal_error, too_many_requests, disconnected, deadline_exceeded, forbidden, invalid}) {
      SCOPED_TRACE(std::to_string(step) + " " + std::string(runtime::to_string(reason)));
      run(step, refused(reason));
    }
    for (const runtime::Reason reason : {disconnected, deadline_exceeded, malformed}) {
      SCOPED_TRACE(std::to_string(step) + " lost: " + std::string(runtime::to_string(reason)));
      run(step, lost(reason));
    }
  }
}

}  // namespace
}  // namespace dcm::device_taint_eviction
