// Which pods are tried when not all may be evicted: a bounded rate, budgets, and the scope of a
// refusal.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/cluster.hpp"

namespace dcm::device_taint_eviction {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kEvictions = "device_taint_eviction_controller_pod_deletions_total";
constexpr const char* kStuck = "dra_controller_manager_evictions_stuck";
constexpr const char* kDelays =
    "device_taint_eviction_controller_pod_deletion_duration_seconds_sum";

Fault refuse_blocked(std::size_t /*number*/, const std::string& call) {
  return call.find(" blocked") == call.npos ? Fault{} : refused(runtime::Reason::forbidden);
}

TEST(EvictFairly, evicts_healthy_pod_behind_1000_protected_ones_at_rate_1) {
  Cluster cluster({.evictions_per_second = 1});
  cluster.add_pods("blocked", 1000);
  cluster.api.fault = refuse_blocked;
  cluster.start_with_rule(1min);
  cluster.pod_calls();
  cluster.add_pod("healthy");
  cluster.run_for(1s);
  EXPECT_EQ(cluster.api.deletions[test::uid_of("healthy").str()], 1);
}

TEST(EvictFairly, evicts_ten_healthy_pods_in_ten_seconds_at_rate_1) {
  Cluster cluster({.evictions_per_second = 1});
  cluster.add_pods("blocked", 1000);
  cluster.add_pods("healthy", 10);
  cluster.api.fault = refuse_blocked;
  cluster.start_with_rule(15s);
  EXPECT_EQ(cluster.api.deletions.size(), 10U);
  EXPECT_GE(cluster.loop.time().now().time_since_epoch(), 9s) << "the rate holds";
}

TEST(EvictFairly, evicts_healthy_pod_while_webhook_delays_others) {
  Cluster cluster({.workers = 2});
  cluster.add_pods("blocked", 100);
  cluster.api.fault = [](std::size_t number, const std::string& call) {
    Fault fault = refuse_blocked(number, call);
    fault.error.reason = runtime::Reason::too_many_requests;
    fault.error.retry_after = 30s;
    return fault;
  };
  cluster.start_with_rule(1s);
  cluster.add_pod("healthy");
  cluster.run_for(1s);
  EXPECT_EQ(cluster.api.deletions[test::uid_of("healthy").str()], 1);
}

// A budget that allows one eviction per 30 s: as soon as it has capacity, some pod uses it.
void give_a_slot_every_30_s(Cluster& cluster, int& slots) {
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (!call.starts_with("evict ")) return Fault{};
    if (slots == 0) return refused(runtime::Reason::disruption_budget);
    --slots;
    return Fault{};
  };
}

TEST(EvictFairly, uses_slow_budget_without_failure) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pods("p", 30);
  int slots = 0;
  give_a_slot_every_30_s(cluster, slots);
  cluster.start();
  cluster.api.put(Cluster::rule_for_all());
  for (std::size_t slot = 1; slot <= 30; ++slot) {
    slots = 1;
    cluster.run_for(30s);
    EXPECT_EQ(cluster.api.deletions.size(), slot);
    EXPECT_EQ(cluster.metric(kStuck), 0);
  }
}

TEST(EvictFairly, asks_budget_every_5_s_with_jitter) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pods("p", 20);
  int slots = 0;
  give_a_slot_every_30_s(cluster, slots);
  cluster.start_with_rule(1min);
  cluster.pod_calls();
  std::size_t most = 0;
  for (int tenth = 0; tenth < 600; ++tenth) {
    cluster.run_for(100ms);
    most = std::max(most, cluster.pod_calls().size());
  }
  EXPECT_LT(most, 10U);
  cluster.run_for(1min);
  const std::vector<std::string> calls = cluster.pod_calls();
  EXPECT_GE(calls.size(), 20 * 10U);
  EXPECT_LE(calls.size(), 20 * 12U);
  EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_held_by_budget"), 20);
  EXPECT_GE(cluster.metric("dra_controller_manager_eviction_overdue_seconds"), 180);
  EXPECT_FALSE(cluster.logged("could not be evicted"));
  EXPECT_TRUE(cluster.explains("p0", "HeldByBudget"));
  EXPECT_FALSE(cluster.explains("p0", "LastProblem"));
}

// Like the answer of the server's flow control, a webhook or a proxy.
TEST(EvictFairly, backs_off_from_429_without_budget) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pod("p");
  cluster.api.fault = [](std::size_t, const std::string& call) {
    return call == "evict p" ? refused(runtime::Reason::too_many_requests) : Fault{};
  };
  cluster.start_with_rule(15min);
  EXPECT_LE(cluster.pod_calls().size(), 20U);
  EXPECT_EQ(cluster.metric(kStuck), 1);
}

TEST(EvictFairly, asks_budget_again_when_neighbour_starts_or_goes) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pods("p", 5);
  cluster.api.put(user_of_claim("new").phase(api::PodPhase::pending));
  int slots = 0;
  give_a_slot_every_30_s(cluster, slots);
  cluster.start_with_rule(100ms);
  cluster.pod_calls();
  slots = 3;
  cluster.api.put(user_of_claim("new").phase(api::PodPhase::running));
  cluster.run_for(900ms);
  EXPECT_THAT(cluster.pod_calls(), IsEmpty()) << "the budget's status is not written yet";
  cluster.run_for(4s);
  EXPECT_EQ(cluster.api.deletions.size(), 3U) << "one after the other, as there is room";
}

TEST(EvictFairly, asks_budget_again_when_unevicted_pod_goes) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pod("p");
  cluster.api.put(user_of_claim("beside"));
  int slots = 0;
  give_a_slot_every_30_s(cluster, slots);
  cluster.start_with_rule(100ms);
  slots = 1;
  cluster.api.remove_pod("beside");
  cluster.run_for(3s);
  EXPECT_EQ(cluster.api.deletions.size(), 1U);
}

// A budget that never opens.
void hold_pods_of_another_namespace(Cluster& cluster, std::size_t pods) {
  for (std::size_t i = 0; i < pods; ++i) {
    const std::string name = "held" + std::to_string(i);
    cluster.api.put(claim_of(name).in_namespace("another").with_device("pool-" + name, "gpu-0"));
    cluster.api.put(user_of_claim(name).in_namespace("another"));
  }
  cluster.api.fault = [](std::size_t, const std::string& call) {
    return call.starts_with("evict held") ? refused(runtime::Reason::disruption_budget) : Fault{};
  };
}

TEST(EvictFairly, asks_budgets_at_most_50_times_per_second) {
  Cluster cluster({.mode = EvictionMode::evict});
  hold_pods_of_another_namespace(cluster, 1000);
  cluster.start_with_rule(1min);
  cluster.pod_calls();
  cluster.run_for(1min);
  EXPECT_LE(cluster.pod_calls().size(), 60U * 60U);
}

TEST(EvictFairly, delays_no_other_namespace_for_budget) {
  Cluster cluster({.mode = EvictionMode::evict});
  hold_pods_of_another_namespace(cluster, 2000);
  bool is_first = true;
  const auto fault_of_another = cluster.api.fault;
  cluster.api.fault = [&](std::size_t number, const std::string& call) {
    if (call == "evict p" && std::exchange(is_first, false)) {
      return refused(runtime::Reason::disruption_budget);
    }
    return fault_of_another(number, call);
  };
  cluster.start_with_rule(10s);
  cluster.add_pod("p");
  cluster.run_for(10s);
  EXPECT_EQ(cluster.api.deletions[test::uid_of("p").str()], 1);
}

// The watch shows the pod's deletion before the answer comes.
TEST(EvictFairly, reports_eviction_seen_before_its_answer) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pod("p");
  cluster.start_with_rule(1s);
  EXPECT_THAT(cluster.events.texts, ElementsAre("p: Marking for deletion"));
}

TEST(EvictFairly, ignores_pod_finished_after_lost_deletion) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    return call == "remove p" ? refused(runtime::Reason::deadline_exceeded) : Fault{};
  };
  cluster.start_with_rule(1s);
  cluster.api.put(user_of_claim("p").phase(api::PodPhase::succeeded));
  cluster.run_for(1s);
  cluster.api.remove_pod("p");
  cluster.run_for(1min);
  EXPECT_EQ(cluster.metric(kEvictions), 0);
}

TEST(EvictFairly, marks_once_while_watch_is_late) {
  Cluster cluster;
  cluster.add_pod("p");
  bool is_refused = true;
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (call == "mark p") cluster.hold_watch();
    return call == "remove p" && std::exchange(is_refused, false)
               ? refused(runtime::Reason::forbidden)
               : Fault{};
  };
  cluster.start_with_rule(1s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p", "remove p"));
}

// The disruption controller withdraws a mark without consequence after 2 min.
TEST(EvictFairly, restores_removed_mark) {
  Cluster cluster;
  cluster.add_pod("p");
  bool is_refused = true;
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    return is_refused && call == "remove p" ? refused(runtime::Reason::forbidden) : Fault{};
  };
  cluster.start_with_rule(2min);
  cluster.api.put(user_of_claim("p"));
  cluster.pod_calls();
  is_refused = false;
  cluster.run_for(10min);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p"));
}

TEST(EvictFairly, asks_again_when_budget_disappears) {
  Cluster cluster({.mode = EvictionMode::evict});
  cluster.add_pod("p");
  bool is_first = true;
  cluster.api.fault = [&](std::size_t, const std::string&) {
    return std::exchange(is_first, false) ? refused(runtime::Reason::disruption_budget) : Fault{};
  };
  cluster.start();
  cluster.api.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  cluster.run_for(7s);
  EXPECT_EQ(cluster.metric(kEvictions), 1);
}

TEST(EvictFairly, ignores_pods_deleted_by_another_client_after_failure) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    return call == "remove p" ? refused(runtime::Reason::internal_error) : Fault{};
  };
  cluster.start_with_rule(3min);
  cluster.api.put(user_of_claim("p").being_deleted());
  cluster.run_for(1min);
  EXPECT_EQ(cluster.metric(kEvictions), 0);
  EXPECT_EQ(cluster.condition(), "NotStarted: ");
}

TEST(EvictFairly, delays_until_server_accepts) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.latency = 4s;
  cluster.start();
  cluster.api.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  cluster.run_for(1min);
  EXPECT_GE(cluster.metric(kDelays), 8);
}

TEST(EvictFairly, reports_nothing_for_deleted_pod) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.hold_watch();
  cluster.api.remove_pod("p");
  cluster.release_watch();
  cluster.add_pod("q");
  cluster.run_for(1s);
  cluster.api.fault = [](std::size_t, const std::string& call) {
    return call == "mark q" ? refused(runtime::Reason::object_not_found) : Fault{};
  };
  cluster.api.put(Cluster::rule_for_all());
  cluster.run_for(1min);
  EXPECT_THAT(cluster.events.texts, IsEmpty());
}

TEST(EvictFairly, retries_failures_when_server_recovers) {
  Cluster cluster;
  cluster.add_pod("p");
  bool is_refused = true;
  cluster.api.fault = [&](std::size_t, const std::string&) {
    return is_refused ? refused(runtime::Reason::forbidden) : Fault{};
  };
  cluster.start();
  cluster.api.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  cluster.run_for(1h);
  is_refused = false;
  cluster.retry_now();
  cluster.run_for(10ms);
  EXPECT_EQ(cluster.metric(kEvictions), 1);
}

}  // namespace
}  // namespace dcm::device_taint_eviction
