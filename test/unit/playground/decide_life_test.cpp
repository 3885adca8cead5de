#include "playground/cluster/decide_life.hpp"

#include <functional>
#include <ostream>

#include <gtest/gtest.h>

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using api::PodPhase;

struct Row {
  std::string sentence;
  PodPhase phase;
  std::function<void(Pod&)> arrange;
  ClaimsReady claims;
  PodTimes times;
  LifeStep expected;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.sentence; }
};

class DecideLife : public ::testing::TestWithParam<Row> {};

TEST_P(DecideLife, decides) {
  const Row& row = GetParam();
  Pod pod;
  pod.phase = row.phase;
  pod.node_name = "node-0";
  row.arrange(pod);
  EXPECT_TRUE(decide_life(pod, row.claims, row.times) == row.expected);
}

void nothing(Pod&) {}
void runs_2s(Pod& pod) {
  pod.run_for = 2s;
}
void deleted(Pod& pod) {
  pod.meta.is_being_deleted = true;
  pod.grace = 30s;
}
void deleted_and_slow(Pod& pod) {
  deleted(pod);
  pod.stop_after = 5s;
}
void deleted_and_too_slow(Pod& pod) {
  deleted(pod);
  pod.stop_after = 60s;
}
void told_to_fail(Pod& pod) {
  pod.run_for = 2s;
  pod.finish = PodPhase::failed;
}

void crashes(Pod& pod) {
  pod.crash_after = 4s;
}
void has_deadline(Pod& pod) {
  pod.active_deadline = 60s;
  pod.start_time = runtime::WallTime();
}

constexpr auto kYes = ClaimsReady::yes;
constexpr auto kNo = ClaimsReady::no;

const Row kRows[] = {
    {"it_starts_when_its_claims_are_ready", PodPhase::pending, nothing, kYes, {}, Start{}},
    {"it_waits_for_its_claims", PodPhase::pending, nothing, kNo, {}, Idle{}},
    {"it_is_started_before_it_is_finished", PodPhase::pending, told_to_fail, kYes, {}, Start{}},
    {"it_runs_for_ever", PodPhase::running, nothing, kYes, {.running = 999h}, Idle{}},
    {"it_runs_for_its_time",
     PodPhase::running,
     runs_2s,
     kYes,
     {.running = 500ms},
     LookAgain{1500ms}},
    {"it_finishes_when_its_time_is_over",
     PodPhase::running,
     runs_2s,
     kYes,
     {.running = 2s},
     Finish{Ending::completed}},
    {"it_finishes_even_if_its_claims_are_gone",
     PodPhase::running,
     runs_2s,
     kNo,
     {.running = 2s},
     Finish{Ending::completed}},
    {"it_finishes_as_it_is_told",
     PodPhase::running,
     told_to_fail,
     kYes,
     {},
     Finish{Ending::failed}},
    {"a_finished_pod_stays", PodPhase::succeeded, told_to_fail, kYes, {.running = 9s}, Idle{}},
    {"a_failed_pod_stays", PodPhase::failed, runs_2s, kYes, {.running = 9s}, Idle{}},
    {"a_deleted_pod_ends_at_once",
     PodPhase::running,
     deleted,
     kYes,
     {},
     Finish{Ending::terminated}},
    {"a_deleted_pod_that_never_ran_ends_too",
     PodPhase::pending,
     deleted,
     kNo,
     {},
     Finish{Ending::never_started}},
    {"a_deleted_pod_that_has_ended_goes", PodPhase::failed, deleted_and_slow, kYes, {}, Remove{}},
    {"a_deleted_pod_that_has_succeeded_goes", PodPhase::succeeded, deleted, kYes, {}, Remove{}},
    {"a_deleted_pod_ends_as_it_is_told",
     PodPhase::running,
     [](Pod& pod) {
       deleted(pod);
       pod.finish = PodPhase::succeeded;
     },
     kYes,
     {},
     Finish{Ending::completed}},
    {"a_slow_one_takes_its_time",
     PodPhase::running,
     deleted_and_slow,
     kYes,
     {.stopping = 1s},
     LookAgain{4s}},
    {"and_ends_then",
     PodPhase::running,
     deleted_and_slow,
     kYes,
     {.stopping = 5s},
     Finish{Ending::terminated}},
    {"the_grace_period_is_the_limit",
     PodPhase::running,
     deleted_and_too_slow,
     kYes,
     {.stopping = 30s},
     Finish{Ending::killed}},
    {"a_crash_ends_a_pod_that_is_never_restarted",
     PodPhase::running,
     [](Pod& pod) {
       crashes(pod);
       pod.restart_policy = RestartPolicy::never;
     },
     kYes,
     {.running = 4s},
     Finish{Ending::failed}},
    {"a_crash_restarts_the_containers_of_another",
     PodPhase::running,
     crashes,
     kYes,
     {.running = 4s},
     LookAgain{4s}},
    {"its_deadline_ends_a_pod",
     PodPhase::running,
     has_deadline,
     kYes,
     {.active = 60s},
     Finish{Ending::deadline_exceeded}},
    {"its_deadline_ends_a_pod_that_waits",
     PodPhase::pending,
     has_deadline,
     kNo,
     {.active = 61s},
     Finish{Ending::deadline_exceeded}},
    {"until_then_it_runs", PodPhase::running, has_deadline, kYes, {.active = 20s}, LookAgain{40s}},
    {"after_its_deadline_it_takes_its_time_to_stop",
     PodPhase::running,
     [](Pod& pod) {
       has_deadline(pod);
       pod.stop_after = 5s;
     },
     kYes,
     {.active = 60s},
     LookAgain{5s}},
};

TEST(ContainersAfter, restart_like_kubelet) {
  struct CrashRow {
    Duration running;
    int restarts;
    std::optional<Duration> waits_for;
    Duration next;
  };
  const CrashRow rows[] = {
      {0s, 0, std::nullopt, 4s}, {3s, 0, std::nullopt, 1s},  {4s, 1, std::nullopt, 4s},  // at once
      {8s, 1, 10s, 10s},         {17s, 1, 10s, 1s},          {18s, 2, std::nullopt, 4s},
      {22s, 2, 20s, 20s},        {42s, 3, std::nullopt, 4s}, {46s, 3, 40s, 40s},
  };
  for (const CrashRow& row : rows) {
    const Containers now = containers_after(row.running, 4s);
    EXPECT_EQ(now.restarts, row.restarts) << row.running.count();
    EXPECT_TRUE(now.waits_for == row.waits_for) << row.running.count();
    EXPECT_TRUE(now.next == row.next) << row.running.count();
  }
}

TEST(ContainersAfter, cap_backoff_at_5_minutes_and_reset_it) {
  const Containers old = containers_after(24h, 4s);
  EXPECT_TRUE(old.waits_for == 5min || !old.waits_for);
  EXPECT_NEAR(old.restarts, 24 * 3600 / 304 + 5, 3);
  EXPECT_EQ(containers_after(100min, 10min).restarts, 10);
}

INSTANTIATE_TEST_SUITE_P(Rows, DecideLife, ::testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.sentence; });

}  // namespace
}  // namespace dcm::playground
