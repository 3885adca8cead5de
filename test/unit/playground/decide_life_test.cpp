#include "cmd/dra-playground/cluster/decide_life.hpp"

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
     Finish{PodPhase::succeeded}},
    {"it_finishes_even_if_its_claims_are_gone",
     PodPhase::running,
     runs_2s,
     kNo,
     {.running = 2s},
     Finish{PodPhase::succeeded}},
    {"it_finishes_as_it_is_told",
     PodPhase::running,
     told_to_fail,
     kYes,
     {},
     Finish{PodPhase::failed}},
    {"a_finished_pod_stays", PodPhase::succeeded, told_to_fail, kYes, {.running = 9s}, Idle{}},
    {"a_failed_pod_stays", PodPhase::failed, runs_2s, kYes, {.running = 9s}, Idle{}},
    {"a_deleted_pod_goes_at_once", PodPhase::running, deleted, kYes, {}, Remove{}},
    {"a_deleted_pod_that_never_ran_goes_too", PodPhase::pending, deleted, kNo, {}, Remove{}},
    {"a_slow_one_takes_its_time",
     PodPhase::running,
     deleted_and_slow,
     kYes,
     {.stopping = 1s},
     LookAgain{4s}},
    {"and_goes_then", PodPhase::running, deleted_and_slow, kYes, {.stopping = 5s}, Remove{}},
    {"the_grace_period_is_the_limit",
     PodPhase::running,
     deleted_and_too_slow,
     kYes,
     {.stopping = 30s},
     Remove{}},
};

INSTANTIATE_TEST_SUITE_P(Rows, DecideLife, ::testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.sentence; });

}  // namespace
}  // namespace dcm::playground
