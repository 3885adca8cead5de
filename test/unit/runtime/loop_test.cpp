#include "runtime/loop.hpp"

#include <algorithm>
#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "runtime/assert.hpp"
#include "runtime/condition.hpp"
#include "runtime/task_group.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

TEST(VirtualLoop, runs_a_task_over_its_waits) {
  VirtualLoop loop;
  loop.run([](TimeSource& time) -> Task<> { co_await sleep_for(time, 24h); }(loop.time()));
  EXPECT_EQ(loop.time().now().time_since_epoch(), 24h);
}

TEST(VirtualLoop, rethrows_what_the_task_threw) {
  VirtualLoop loop;
  EXPECT_THROW(loop.run([]() -> Task<> {
    co_await yield();
    throw std::runtime_error("broken");
  }()),
               std::runtime_error);
}

TEST(VirtualLoop, says_when_a_task_waits_for_ever) {
  VirtualLoop loop;
  EXPECT_THROW(loop.run([](TimeSource& time) -> Task<> {
    Condition never(time);
    co_await never.wait();
  }(loop.time())),
               InvariantViolation);
}

TEST(VirtualLoop, run_for_stops_at_its_limit) {
  VirtualLoop loop;
  int calls = 0;
  loop.time().schedule(MonoTime(1s), [&] { ++calls; });
  loop.time().schedule(MonoTime(3s), [&] { ++calls; });
  loop.run_for(2s);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(loop.time().now(), MonoTime(2s));
}

// The order in which three tasks run that are ready together.
std::string order_of_three(std::uint64_t seed) {
  VirtualLoop loop{Rng(seed)};
  std::string order;
  const auto note = [&order](char name) -> Task<> {
    order += name;
    co_return;
  };
  TaskGroup group(loop.executor());
  for (const char name : {'a', 'b', 'c'}) group.spawn("note", note(name));
  loop.run(group.join());
  return order;
}

TEST(VirtualLoop, runs_ready_tasks_in_the_order_of_its_seed) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    orders.insert(order_of_three(seed));
    EXPECT_EQ(order_of_three(seed), order_of_three(seed)) << "seed " << seed;
  }
  EXPECT_EQ(orders.size(), 6U) << "all there are";
}

TEST(VirtualLoop, of_a_seed_cancels_tasks_that_have_not_begun_and_that_wait) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    VirtualLoop loop{Rng(seed)};
    loop.run([](VirtualLoop& own) -> Task<> {
      TaskGroup group(own.executor());
      group.spawn("waits", sleep_for(own.time(), 24h));
      co_await sleep_for(own.time(), 1s);
      group.spawn("has not begun", sleep_for(own.time(), 24h));
      group.cancel();
      co_await group.join();
    }(loop));
    EXPECT_EQ(loop.time().now(), MonoTime(1s)) << "seed " << seed;
  }
}

TEST(VirtualLoop, calls_back_after_so_many_tasks) {
  VirtualLoop loop{Rng(1)};
  int steps = 0;
  int steps_at_call = -1;
  loop.after_tasks(3, [&] { steps_at_call = steps; });
  loop.run([](int& count) -> Task<> {
    for (; count < 10; ++count) co_await yield();
  }(steps));
  EXPECT_GT(steps_at_call, 0);
  EXPECT_LT(steps_at_call, 3) << "a task that begins and one that goes on are two";
  EXPECT_EQ(steps, 10);
}

TEST(VirtualTime, ties_run_in_the_order_they_were_scheduled) {
  VirtualLoop loop;
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    loop.time().schedule(MonoTime(1s), [&order, name] { order += name; });
  }
  loop.run_for(1s);
  EXPECT_EQ(order, "abc");
}

TEST(VirtualTime, wall_time_may_step_while_monotonic_time_does_not) {
  VirtualLoop loop;
  const WallTime before = loop.time().wall_now();
  loop.time().step_wall(-1h);
  EXPECT_EQ(loop.time().wall_now(), before - 1h);
  EXPECT_EQ(loop.time().now(), MonoTime());
}

TEST(Loop, delivers_signals_on_the_loop_and_runs_timers_in_order) {
  Loop loop;
  std::string order;
  Condition done(loop.time());
  loop.on_signals({SIGUSR1}, [&](int) {
    order += "signal";
    done.notify_all();
  });
  const MonoTime now = loop.time().now();
  loop.time().schedule(now + 2ms, [&] { order += "b "; });
  loop.time().schedule(now + 1ms, [&] { order += "a "; });
  loop.time().cancel(loop.time().schedule(now + 1ms, [&] { order += "cancelled "; }));
  loop.time().schedule(now + 3ms, [] { std::raise(SIGUSR1); });
  loop.run([](Condition& condition) -> Task<> { co_await condition.wait(); }(done));
  EXPECT_EQ(order, "a b signal");
}

TEST(Loop, runs_everything_and_ends_while_events_gather) {
  Loop loop;
  loop.gather_events();
  std::vector<int> order;
  const auto count = [](TimeSource& time, std::vector<int>& order) -> Task<> {
    for (int i = 0; i < 100; ++i) {
      order.push_back(i);
      co_await sleep_for(time, 20us);
    }
    throw std::runtime_error("the end");
  };
  EXPECT_THROW(loop.run(count(loop.time(), order)), std::runtime_error);
  EXPECT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

}  // namespace
}  // namespace dcm::runtime
