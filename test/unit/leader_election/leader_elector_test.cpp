// Several candidates over hours and faults: never two writers, never long without one.
#include "client/leader_election/leader_elector.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "test/unit/leader_election/world.hpp"

namespace dcm::leader_election {
namespace {

using namespace std::chrono_literals;

class Electors : public testing::Test {
 protected:
  void TearDown() override {
    world.expect_one_after_the_other();
    for (Node& node : world.nodes) {
      node.line.state = Line::State::good;
      if (node.time.is_frozen()) node.time.thaw();
    }
    world.stop();
  }
  void run_for(Duration duration) { world.run_for(duration); }

  runtime::VirtualLoop loop;
  World world{loop};
};

// The longest time without a writer after a leader has vanished: its lease, plus the time until the
// others see its last renewal.
constexpr Duration kGapMax = 15s + 4400ms + 100ms;

TEST_F(Electors, renew_every_two_seconds_as_single_leader) {
  Node& only = world.add();
  run_for(10min);
  EXPECT_NEAR(static_cast<double>(world.server.log().count("update", "leases")), 300, 2);
  EXPECT_EQ(world.server.log().count("get", "leases"), 1U);
  EXPECT_TRUE(only.has_begun);
  EXPECT_EQ(world.writer(), &only);
  EXPECT_EQ(world.lease().holder, only.name);
  EXPECT_EQ(world.lease().transitions, 0);
}

TEST_F(Electors, elect_one_of_two_candidates) {
  world.add();
  world.add();
  run_for(10min);
  EXPECT_NE(world.nodes.front().has_begun, world.nodes.back().has_begun);
  EXPECT_NE(world.writer(), nullptr);
  EXPECT_EQ(world.lease().transitions, 0);
  EXPECT_LT(world.longest_gap(), 1s);
}

TEST_F(Electors, pass_lease_on_when_leader_stops) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  first.elector.stop();
  EXPECT_FALSE(first.fence.check());
  run_for(5s);
  EXPECT_TRUE(first.has_ended);
  EXPECT_FALSE(first.lost);
  EXPECT_EQ(world.writer(), &second);
  EXPECT_EQ(world.lease().transitions, 1);
  EXPECT_LE(world.longest_gap(), 4500ms);
}

TEST_F(Electors, mark_released_lease) {
  Node& first = world.add();
  run_for(10s);
  first.elector.stop();
  run_for(1s);
  EXPECT_EQ(world.lease().holder, "");
  EXPECT_EQ(world.lease().duration, 1s);
  EXPECT_EQ(world.lease().transitions, 0);
}

TEST_F(Electors, never_write_after_long_pause) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  for (int millis = 0; millis < 2000; millis += 130) {
    run_for(130ms);
  }
  first.time.freeze();
  run_for(30s);
  EXPECT_EQ(world.writer(), &second);
  first.time.thaw();
  EXPECT_FALSE(first.fence.check()) << "before anything else runs";
  run_for(1s);
  ASSERT_TRUE(first.lost);
  EXPECT_NE(first.lost->find("the thread stood still for 2"), std::string::npos) << *first.lost;
  EXPECT_TRUE(first.has_ended);
  EXPECT_LE(world.longest_gap(), kGapMax);
}

TEST_F(Electors, continue_after_short_pause) {
  Node& first = world.add();
  run_for(1s);
  world.add();
  run_for(10s);
  first.time.freeze();
  run_for(7s);
  first.time.thaw();
  run_for(1min);
  EXPECT_EQ(world.writer(), &first);
  EXPECT_EQ(world.lease().transitions, 0);
}

TEST_F(Electors, ignore_late_renewal_after_pause) {
  Node& first = world.add();
  run_for(1s);
  first.line.back = 100ms;
  world.add();
  while (world.lease().renew_time == world.lease().acquire_time) run_for(10ms);
  first.time.freeze();  // the answer arrives, but is not read
  run_for(11s);
  first.time.thaw();
  EXPECT_FALSE(first.fence.check());
  run_for(1ms);
  EXPECT_TRUE(first.lost);
}

TEST_F(Electors, take_no_renewed_lease_after_pause) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  second.time.freeze();
  run_for(10min);
  second.time.thaw();
  run_for(1min);
  EXPECT_EQ(world.writer(), &first);
  EXPECT_FALSE(second.has_begun);
}

TEST_F(Electors, stop_unanswered_leader_before_next_one_starts) {
  for (const auto state : {Line::State::silent, Line::State::refused}) {
    World own(loop);
    Node& first = own.add();
    loop.run_for(1s);
    Node& second = own.add();
    loop.run_for(10s);
    first.line.state = state;
    loop.run_for(7500ms);
    EXPECT_EQ(own.writer(), &first);
    loop.run_for(2600ms);
    EXPECT_EQ(own.writer(), nullptr);
    EXPECT_TRUE(first.lost);
    loop.run_for(10s);
    EXPECT_EQ(own.writer(), &second);
    EXPECT_LE(own.longest_gap(), 5s + 4400ms + 100ms) << "from the end of its own time";
    own.expect_one_after_the_other();
    own.stop();
  }
}

TEST_F(Electors, tolerate_lost_answers_before_deadline) {
  Node& first = world.add();
  run_for(1s);
  world.add();
  for (int round = 0; round < 20; ++round) {
    first.line.state = Line::State::loses_answers;
    run_for(7s);
    first.line.state = Line::State::good;
    run_for(3s);
  }
  EXPECT_EQ(world.writer(), &first);
  EXPECT_EQ(world.lease().transitions, 0);
}

TEST_F(Electors, leave_lease_to_other_candidate_after_lost_answer) {
  Node& first = world.add();
  first.line.back = 50ms;
  run_for(20ms);  // asked, not answered
  run_for(40ms);
  first.line.state = Line::State::loses_answers;
  run_for(100ms);
  EXPECT_EQ(world.lease().holder, first.name);
  EXPECT_FALSE(first.has_begun);
  first.line.state = Line::State::good;
  run_for(5s);
  EXPECT_EQ(world.writer(), &first);
  EXPECT_EQ(world.lease().transitions, 0);
}

TEST_F(Electors, release_lease_held_unknowingly) {
  Node& first = world.add();
  first.line.back = 50ms;
  run_for(60ms);
  first.line.state = Line::State::loses_answers;
  run_for(100ms);
  ASSERT_EQ(world.lease().holder, first.name);
  first.line.state = Line::State::good;
  first.elector.stop();
  run_for(1s);
  EXPECT_EQ(world.lease().holder, "");
  EXPECT_TRUE(first.has_ended);
}

TEST_F(Electors, wait_for_slow_server) {
  Node& first = world.add();
  first.line.there = 2s;
  first.line.back = 2s;
  run_for(10min);
  EXPECT_EQ(world.writer(), &first);
  EXPECT_FALSE(first.lost);
}

TEST_F(Electors, retry_refused_writes) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  for (const int status : {429, 500, 503, 403, 401}) {
    world.server.before([status](const apiserver::LoggedRequest&) {
      return apiserver::json_response(status, R"({"kind":"Status","apiVersion":"v1"})");
    });
    run_for(7s);
    EXPECT_TRUE(first.elector.problem()) << status;
    world.server.before(nullptr);
    run_for(5s);
    EXPECT_EQ(world.writer(), &first) << status;
    EXPECT_FALSE(first.elector.problem()) << status;
    EXPECT_FALSE(second.elector.problem()) << status;
  }
  EXPECT_EQ(world.lease().transitions, 0);
}

TEST_F(Electors, gain_nothing_while_server_is_unreachable) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  for (Node& node : world.nodes) node.line.state = Line::State::refused;
  run_for(10min);
  EXPECT_EQ(world.writer(), nullptr);
  EXPECT_TRUE(first.lost);
  for (Node& node : world.nodes) node.line.state = Line::State::good;
  run_for(20s);
  EXPECT_EQ(world.writer(), &second) << "which may have missed the last renewal";
}

TEST_F(Electors, recreate_deleted_lease) {
  Node& first = world.add();
  run_for(1s);
  world.add();
  run_for(10s);
  world.delete_lease();
  run_for(1min);
  EXPECT_EQ(world.writer(), &first);
  EXPECT_EQ(world.lease().holder, first.name);
}

// Watches that are resumed at a later version than the server's bring nothing, until it catches up.
TEST_F(Electors, end_when_server_goes_back_to_earlier_state) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  for (Node* node : {&first, &second}) node->line.state = Line::State::goes_back;
  run_for(10s);
  for (const Node* node : {&first, &second}) {
    ASSERT_TRUE(node->lost) << node->name;
    EXPECT_NE(node->lost->find("earlier state"), std::string::npos) << *node->lost;
    EXPECT_TRUE(node->has_ended);
  }
}

TEST_F(Electors, end_when_server_has_gone_back_since_look) {
  world.add();
  run_for(10s);
  Node& late = world.nodes.emplace_back(world, "late", Timing(), Clock());
  world.tasks.spawn("look", late.elector.look());
  run_for(1s);
  late.line.state = Line::State::goes_back;
  world.tasks.spawn(late.name, late.run());
  run_for(1s);
  EXPECT_TRUE(late.lost);
}

TEST_F(Electors, wait_for_isolated_leader_before_recreating_lease) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  first.line.state = Line::State::silent;
  world.delete_lease();
  run_for(9s);
  EXPECT_NE(world.writer(), &second);
  run_for(12s);
  EXPECT_EQ(world.writer(), &second);
}

TEST_F(Electors, allow_one_writer_after_any_edit) {
  world.add();
  run_for(1s);
  world.add();
  world.add();
  for (const char* edit :
       {R"({"leaseDurationSeconds":1})", R"({"renewTime":"2001-01-01T00:00:00.000000Z"})",
        R"({"leaseDurationSeconds":null,"renewTime":null,"acquireTime":null})",
        R"({"leaseTransitions":0})", R"({"leaseTransitions":null})",
        R"({"leaseDurationSeconds":2147483647})"}) {
    run_for(10s);
    world.edit_lease(edit);
    for (int i = 0; i < 100; ++i) {
      run_for(100ms);
      EXPECT_NE(world.writer(), nullptr) << edit;
    }
  }
  EXPECT_EQ(world.writer(), &world.nodes.front());
}

TEST_F(Electors, keep_waiting_for_lease_that_cannot_be_written) {
  Node& first = world.add();
  run_for(1s);
  first.elector.stop();
  run_for(1s);
  Node& second = world.add();
  second.line.state = Line::State::adds_levels;
  run_for(1min);
  EXPECT_FALSE(second.lost) << *second.lost;
  EXPECT_EQ(world.writer(), nullptr);
  second.line.state = Line::State::good;
  run_for(5s);
  EXPECT_EQ(world.writer(), &second);
  second.line.state = Line::State::adds_levels;
  run_for(6s);
  EXPECT_EQ(world.writer(), &second);
  run_for(6s);
  ASSERT_TRUE(second.lost);
  EXPECT_NE(second.lost->find("could not be renewed in time"), std::string::npos) << *second.lost;
}

TEST_F(Electors, end_leader_when_lease_is_given_away) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  world.edit_lease(R"({"holderIdentity":"an-admin"})");
  run_for(3s);
  EXPECT_TRUE(first.lost);
  EXPECT_NE(first.lost->find("an-admin"), std::string::npos);
  EXPECT_EQ(world.writer(), nullptr);
  run_for(20s);
  EXPECT_EQ(world.writer(), &second);
}

TEST_F(Electors, take_cleared_lease_again) {
  Node& first = world.add();
  run_for(1s);
  world.add();
  for (const char* edit : {R"({"holderIdentity":""})", R"({"holderIdentity":null})"}) {
    run_for(10s);
    world.edit_lease(edit);
    run_for(10s);
    EXPECT_EQ(world.writer(), &first);
    EXPECT_EQ(world.lease().holder, first.name);
  }
  EXPECT_EQ(world.lease().transitions, 2);
}

TEST_F(Electors, wait_for_sparse_lease_of_other_implementation) {
  // As another implementation might write it.
  ASSERT_TRUE(world.api
                  .post("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
                        R"({"metadata":{"name":"dra-controller-manager","labels":{"a":"b"}},)"
                        R"("spec":{"holderIdentity":"old-version","leaseDurationSeconds":15}})")
                  .ok());
  Node& first = world.add();
  run_for(14s);
  EXPECT_EQ(world.writer(), nullptr);
  run_for(2s);
  EXPECT_EQ(world.writer(), &first);
  EXPECT_EQ(world.lease().transitions, 1);
  const auto kept = world.api.get(
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
      "dra-controller-manager");
  EXPECT_EQ(kept.text({"metadata", "labels", "a"}), "b");
}

TEST_F(Electors, ignore_wall_clocks) {
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  for (const Duration step : {Duration(-100h), Duration(100h), Duration(1h), Duration(-1s)}) {
    first.time.wall_step = step;
    second.time.wall_step = -step;
    run_for(1min);
    loop.time().step_wall(step);
    run_for(1min);
    EXPECT_EQ(world.writer(), &first);
  }
  EXPECT_EQ(world.lease().transitions, 0);
}

TEST_F(Electors, tolerate_clocks_a_quarter_apart) {
  // The leader's clock is slow, so it believes that it has time left; the other's is fast.
  Node& first = world.add({}, {.rate = 0.875, .ahead = 5h});
  run_for(1s);
  Node& second = world.add({}, {.rate = 1.125, .ahead = 77h});
  run_for(10min);
  EXPECT_EQ(world.writer(), &first);
  first.line.state = Line::State::silent;
  run_for(30s);
  EXPECT_TRUE(first.lost);
  EXPECT_EQ(world.writer(), &second);
}

TEST_F(Electors, follow_duration_set_by_holder) {
  // As during the rollout of a Deployment with new flags.
  Node& slow = world.add({60s, 40s, 5s});
  run_for(1s);
  Node& quick = world.add({4s, 3s, 1s});
  run_for(1min);
  EXPECT_EQ(world.writer(), &slow);
  slow.line.state = Line::State::silent;
  run_for(39s);
  EXPECT_FALSE(quick.has_begun);
  run_for(40s);
  EXPECT_EQ(world.writer(), &quick);
}

TEST_F(Electors, elect_within_lease_and_retry_after_leader_vanishes) {
  for (int seed = 0; seed < 20; ++seed) {
    World own(loop);
    Node& first = own.add();
    loop.run_for(1s);
    own.add();
    loop.run_for(10s + seed * 229ms);
    first.time.freeze();
    loop.run_for(25s);
    EXPECT_NE(own.writer(), nullptr) << seed;
    EXPECT_LE(own.longest_gap(), kGapMax) << seed;
    first.time.thaw();
    loop.run_for(1s);
    own.expect_one_after_the_other();
    own.stop();
  }
}

Duration up_to(std::uint64_t millis, runtime::Rng& rng) {
  return std::chrono::milliseconds(rng.below(millis));
}

Clock some_clock(runtime::Rng& rng) {
  return {.rate = 0.95 + 0.1 * rng.unit(), .ahead = up_to(1'000'000, rng)};
}

// A random event for a candidate.
void befall(Node& node, runtime::Rng& rng) {
  node.line.there = rng.below(8) == 0 ? up_to(6000, rng) : 1ms;
  node.line.back = rng.below(8) == 0 ? up_to(6000, rng) : 1ms;
  switch (rng.below(16)) {
    case 0:
      node.line.state = Line::State::silent;
      break;
    case 1:
      node.line.state = Line::State::refused;
      break;
    case 2:
      node.line.state = Line::State::loses_answers;
      break;
    case 3:
      node.time.freeze();
      break;
    case 4:
      node.time.wall_step = up_to(100'000'000, rng) - 50'000s;
      break;
    case 5:
      if (rng.below(4) == 0) node.elector.stop();
      break;
    case 6:
    case 7:
    case 8:
      if (node.time.is_frozen()) node.time.thaw();
      break;
    default:
      if (rng.below(2) == 0) node.line.state = Line::State::good;
  }
}

void heal(World& world) {
  for (Node& node : world.nodes) {
    node.line.state = Line::State::good;
    node.line.there = node.line.back = 1ms;
    if (node.time.is_frozen()) node.time.thaw();
  }
}

// The rules above all at once, from a seed.
TEST_F(Electors, never_write_concurrently_under_random_faults) {
  for (std::uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    runtime::Rng rng(seed);
    World own(loop);
    for (int step = 0; step < 100; ++step) {
      std::ptrdiff_t alive = 0;
      for (Node& node : own.nodes) {
        if (node.has_ended) continue;
        ++alive;
        befall(node, rng);
      }
      for (; alive < 3; ++alive) own.add({}, some_clock(rng));
      loop.run_for(up_to(4000, rng));
      own.writer();
    }
    own.expect_one_after_the_other();
    heal(own);
    own.add({}, some_clock(rng));
    loop.run_for(40s);
    EXPECT_NE(own.writer(), nullptr) << "the faults have stopped: one leads soon";
    own.stop();
  }
}

// ---- what it tells ------------------------------------------------------------------------------

double metric(Node& node, const std::string& name) {
  const std::string text = "\n" + node.metrics.expose();
  const std::size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

TEST_F(Electors, export_leader_and_renewals) {
  const std::string master = R"(leader_election_master_status{name="dra-controller-manager"})";
  const std::string slow = R"(leader_election_slowpath_total{name="dra-controller-manager"})";
  const std::string age = "controller_lease_renew_age_seconds";
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10500ms);
  EXPECT_EQ(metric(first, master), 1);
  EXPECT_EQ(metric(second, master), 0);
  EXPECT_EQ(metric(first, slow), 0);
  EXPECT_GT(metric(first, age), 0);
  EXPECT_LE(metric(first, age), 2);
  EXPECT_EQ(metric(second, age), 0);
  world.edit_lease(R"({"leaseTransitions":5})");
  run_for(5s);
  EXPECT_EQ(metric(first, slow), 1);
  first.elector.stop();
  run_for(6s);
  EXPECT_EQ(metric(first, master), 0);
  EXPECT_EQ(metric(second, master), 1);
}

TEST_F(Electors, export_foreign_holder) {
  const std::string other = "controller_lease_held_by_other";
  Node& first = world.add();
  run_for(1s);
  Node& second = world.add();
  run_for(10s);
  EXPECT_EQ(metric(first, other), 0) << "the leader";
  EXPECT_EQ(metric(second, other), 1) << "its standby";
  world.edit_lease(R"({"holderIdentity":"a program","leaseDurationSeconds":3600})");
  run_for(60s);
  EXPECT_TRUE(first.lost);
  EXPECT_EQ(metric(second, other), 1);
  EXPECT_EQ(world.writer(), nullptr);
  world.edit_lease(R"({"holderIdentity":"","leaseDurationSeconds":1})");
  run_for(10s);
  EXPECT_EQ(metric(second, other), 0);
}

TEST_F(Electors, report_problem_until_lease_is_read) {
  Node& first = world.add();
  first.line.state = Line::State::refused;
  run_for(10s);
  ASSERT_TRUE(first.elector.problem());
  EXPECT_FALSE(first.elector.failing()) << "it never succeeded";
  first.line.state = Line::State::good;
  run_for(5s);
  EXPECT_FALSE(first.elector.problem());
}

TEST_F(Electors, report_since_when_they_fail) {
  world.add();
  Node& standby = world.add();
  run_for(10s);
  EXPECT_FALSE(standby.elector.failing());
  standby.line.state = Line::State::refused;
  run_for(30s);
  ASSERT_TRUE(standby.elector.failing());
  EXPECT_GT(*standby.elector.failing(), 25s);
  EXPECT_LE(*standby.elector.failing(), 30s);
  standby.line.state = Line::State::good;
  run_for(10s);
  EXPECT_FALSE(standby.elector.failing());
}

// ---- the fence ----------------------------------------------------------------------------------

TEST(Fence, opens_temporarily_and_closes_permanently) {
  runtime::VirtualLoop loop;
  Fence fence(loop.time());
  EXPECT_FALSE(fence.check());
  EXPECT_EQ(fence.check().error().reason, runtime::Reason::shutting_down);
  fence.open_until(loop.time().now() + 10s);
  loop.run_for(9999ms);
  EXPECT_TRUE(fence.check());
  loop.run_for(1ms);
  EXPECT_FALSE(fence.check());
  EXPECT_NE(fence.check().error().message.find("in time"), std::string::npos);
  fence.open_until(loop.time().now() + 10s);
  fence.close();
  EXPECT_FALSE(fence.check());
}

}  // namespace
}  // namespace dcm::leader_election
