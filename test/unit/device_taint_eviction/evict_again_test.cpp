// Evictions whose first attempt failed: their next turn, back-off, and how they count.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/cluster.hpp"

namespace dcm::device_taint_eviction {
namespace {

using testing::ElementsAre;

constexpr const char* kEvictions = "device_taint_eviction_controller_pod_deletions_total";
constexpr const char* kDelays =
    "device_taint_eviction_controller_pod_deletion_duration_seconds_sum";

// The first pod to be evicted is refused this many times.
auto refuse_first(std::string& pod, int times) {
  return [&pod, times](std::size_t, const std::string& call) mutable {
    if (!call.starts_with("remove ")) return Fault{};
    if (pod.empty()) pod = call.substr(7);
    return call == "remove " + pod && times-- > 0 ? refused(runtime::Reason::internal_error)
                                                  : Fault{};
  };
}

TEST(EvictAgain, prefers_untried_pods_at_bounded_rate) {
  Cluster cluster({.evictions_per_second = 1});
  cluster.add_pods("p", 30);
  std::string pod;
  cluster.api.fault = refuse_first(pod, 3);
  cluster.start_with_rule(28500ms);
  EXPECT_EQ(cluster.api.deletions.size(), 29U);
  EXPECT_EQ(cluster.api.deletions[test::uid_of(pod).str()], 0);
  cluster.run_for(2s);
  EXPECT_EQ(cluster.api.deletions.size(), 30U);
}

// A restore of etcd may take an eviction back before the watch has shown it.
TEST(EvictAgain, repeats_eviction_that_the_cache_never_shows) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.api.put(Cluster::rule_for_all());
  cluster.hold_watch();
  cluster.run_for(4min);
  EXPECT_EQ(std::ranges::count(cluster.pod_calls(), "remove p"), 1);
  cluster.run_for(2min);
  EXPECT_EQ(std::ranges::count(cluster.pod_calls(), "remove p"), 1);
  cluster.release_watch();
  cluster.run_for(10min);
  EXPECT_EQ(std::ranges::count(cluster.pod_calls(), "remove p"), 0) << "it is being deleted";
}

TEST(EvictAgain, marks_pod_again_whose_mark_a_restore_has_undone) {
  for (const bool is_mark_seen : {true, false}) {
    Cluster cluster;
    cluster.add_pod("p");
    const auto backup = cluster.api.pods;
    cluster.api.fault = [](std::size_t, const std::string& call) {
      return call == "remove p" ? refused(runtime::Reason::forbidden) : Fault{};
    };
    cluster.start();
    cluster.api.put(Cluster::rule_for_all());
    if (!is_mark_seen) cluster.hold_watch();
    cluster.run_for(1s);
    cluster.restore(backup);
    static_cast<void>(cluster.pod_calls());
    cluster.api.fault = [](std::size_t, const std::string&) { return Fault{}; };
    cluster.run_for(1h);
    EXPECT_THAT(cluster.pod_calls(), ElementsAre("mark p", "remove p"));
  }
}

TEST(EvictAgain, returns_turn_after_refusal_and_keeps_problem) {
  Cluster cluster({.evictions_per_second = 0.1});
  cluster.add_pods("p", 2);
  std::string pod;
  cluster.api.fault = refuse_first(pod, 1);
  cluster.start_with_rule(9s);
  EXPECT_EQ(cluster.pod_calls().size(), 4U) << "the other one's as well";
  EXPECT_TRUE(cluster.explains(pod, "LastProblem"));
  cluster.run_for(2s);
  EXPECT_THAT(cluster.pod_calls(), ElementsAre("remove " + pod));
}

TEST(EvictAgain, backs_off_and_leaves_turns_to_others) {
  Cluster cluster({.evictions_per_second = 1});
  cluster.add_pods("p", 30);
  std::string pod;
  cluster.api.fault = refuse_first(pod, 1'000'000);
  cluster.start_with_rule(30s);
  EXPECT_EQ(cluster.api.deletions.size(), 29U);
  cluster.run_for(1h);
  const std::vector<std::string> calls = cluster.pod_calls();
  EXPECT_LE(std::ranges::count(calls, "remove " + pod), 25);
}

// A webhook may answer 409, and the server does when an eviction lost every race.
TEST(EvictAgain, retries_after_conflict_as_failure) {
  for (const EvictionMode mode : {EvictionMode::remove, EvictionMode::evict}) {
    Cluster cluster({.mode = mode});
    cluster.add_pod("p");
    cluster.api.fault = [](std::size_t, const std::string& call) {
      return call.starts_with("mark") ? Fault{} : refused(runtime::Reason::conflict);
    };
    cluster.start_with_rule(1s);
    EXPECT_TRUE(cluster.explains("p", "LastProblem"));
    EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_stuck"), 1);
    cluster.api.fault = [](std::size_t, const std::string&) { return Fault{}; };
    cluster.run_for(2s);
    EXPECT_EQ(cluster.metric(kEvictions), 1);
  }
}

TEST(EvictAgain, counts_pod_that_goes_while_waiting) {
  Cluster cluster({.evictions_per_second = 0.001});
  cluster.add_pod("p");
  cluster.api.fault = [&](std::size_t, const std::string& call) {
    if (call != "remove p") return Fault{};
    cluster.hold_watch();
    return lost(runtime::Reason::disconnected);
  };
  cluster.start_with_rule(1s);
  EXPECT_EQ(cluster.metric(kEvictions), 0);
  cluster.release_watch();
  cluster.run_for(10ms);
  EXPECT_EQ(cluster.metric(kEvictions), 1);
}

// Refusals lengthen the back-off; then the answer to an executed DELETE is lost.
void lose_the_answer_after_refusals(Cluster& cluster) {
  cluster.add_pod("p");
  cluster.api.fault = [&, refusals = 12](std::size_t, const std::string& call) mutable {
    if (call != "remove p") return Fault{};
    if (refusals-- > 0) return refused(runtime::Reason::internal_error);
    cluster.hold_watch();
    return refusals == -1 ? lost(runtime::Reason::disconnected) : Fault{};
  };
  cluster.start_with_rule(21s);
  EXPECT_EQ(cluster.api.deletions.size(), 1U);
  EXPECT_EQ(cluster.metric(kEvictions), 0);
}

TEST(EvictAgain, counts_delete_with_lost_answer_when_deletion_is_seen) {
  Cluster cluster;
  lose_the_answer_after_refusals(cluster);
  cluster.release_watch();
  cluster.run_for(10ms);
  EXPECT_EQ(cluster.metric(kEvictions), 1);
}

TEST(EvictAgain, counts_delete_with_lost_answer_at_time_of_sending) {
  Cluster cluster;
  lose_the_answer_after_refusals(cluster);
  cluster.api.remove_pod("p");
  cluster.run_for(1min);
  EXPECT_EQ(cluster.metric(kEvictions), 1) << "the next DELETE found nobody";
  EXPECT_LT(cluster.metric(kDelays), 21);
}

// The lost request was executed soon, or never.
TEST(EvictAgain, ignores_pod_that_goes_long_after_lost_answer) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.api.fault = [is_first = true](std::size_t, const std::string& call) mutable {
    if (call != "remove p") return Fault{};
    const auto reason = std::exchange(is_first, false) ? runtime::Reason::deadline_exceeded
                                                       : runtime::Reason::forbidden;
    return refused(reason);
  };
  cluster.start_with_rule(20min);
  cluster.api.fault = [](std::size_t, const std::string&) { return Fault{}; };
  cluster.hold_watch();
  cluster.api.remove_pod("p");
  cluster.run_for(20min);
  EXPECT_EQ(cluster.metric(kEvictions), 0);
  cluster.release_watch();
  cluster.run_for(1min);
  EXPECT_EQ(cluster.metric(kEvictions), 0);
}

}  // namespace
}  // namespace dcm::device_taint_eviction
