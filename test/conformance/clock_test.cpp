// Clocks that disagree, and time that jumps: the manager's own clocks are shifted, so everything
// from the server (times in objects, headers, certificates) is off by as much.
#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

using namespace std::chrono_literals;

class Clock : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "its clocks cannot be moved";
    faults();
    clock();
  }
  // The whole life of a pod with a claim.
  void expect_all_works(const std::string& pod) {
    create_pod({.name = pod, .templates = {{"accel", "gpus"}}, .node = "node-a"});
    const std::string claim = wait_for_claim_of(pod, "accel");
    allocate(claim);
    EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for(claim).size() == 1; }));
    set_phase(pod, "Succeeded");
    EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", claim); }));
  }
};

struct Skew {
  const char* name;
  std::chrono::seconds by;
  friend void PrintTo(const Skew& skew, std::ostream* out) { *out << skew.name; }
};

class ClockSkew : public Clock, public testing::WithParamInterface<Skew> {};

TEST_P(ClockSkew, changes_nothing_for_claims_if_an_hour_off) {
  clock().shift_wall(GetParam().by);
  start_manager();
  create_template("gpus");
  expect_all_works("job");
  create_pod({.name = "warned", .templates = {{"accel", "missing"}}});
  EXPECT_TRUE(soon("the event is there", [&] { return !events_of("warned").empty(); }));
  settle();
  // By its own clock, like every writer of events.
  const json::value event = events_of("warned").at(0);
  EXPECT_NE(text_at(event, "/firstTimestamp").substr(0, 13),
            text_at(event, "/metadata/creationTimestamp").substr(0, 13));
  EXPECT_EQ(claim_of("warned", "accel"), "");
}

TEST_P(ClockSkew, changes_nothing_if_it_appears_at_run_time) {
  start_manager();
  create_template("gpus");
  expect_all_works("before");
  clock().shift_wall(GetParam().by);
  expect_all_works("after");
  EXPECT_EQ(manager().status_page("/livez"), "ok");
}

INSTANTIATE_TEST_SUITE_P(Of, ClockSkew,
                         testing::Values(Skew{"a_server_that_is_ahead", -1h},
                                         Skew{"a_server_that_is_behind", 1h}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Clock, survives_an_hour_of_machine_sleep) {
  start_manager();
  create_template("gpus");
  expect_all_works("before");
  clock().sleep(1h);
  expect_all_works("after");
  // The quiet kinds have had no event for an hour, until their watches are reopened.
  EXPECT_TRUE(soon("it lives", [&] { return manager().status_page("/livez") == "ok"; }))
      << manager().status_page("/livez");
  EXPECT_FALSE(manager().exit_status());
}

TEST_F(Clock, detects_silent_watch) {
  patience(60s);
  start_manager();
  create_template("gpus");
  settle();
  EXPECT_EQ(faults().stall_watches("/pods"), 1U);
  create_pod({.name = "unseen", .templates = {{"accel", "gpus"}}});
  // The manager first attributes the silence to a slow minute, and gives up after three.
  clock().sleep(4min);
  wait_for_claim_of("unseen", "accel");
  EXPECT_EQ(claim_names().size(), 1U);
}

}  // namespace
}  // namespace dcm::conformance
