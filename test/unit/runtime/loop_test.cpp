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

TEST(VirtualLoop, runs_task_with_waits) {
  VirtualLoop loop;
  loop.run([](TimeSource& time) -> Task<> { co_await sleep_for(time, 24h); }(loop.time()));
  EXPECT_EQ(loop.time().now().time_since_epoch(), 24h);
}

TEST(VirtualLoop, rethrows_exception_of_task) {
  VirtualLoop loop;
  EXPECT_THROW(loop.run([]() -> Task<> {
    co_await yield();
    throw std::runtime_error("broken");
  }()),
               std::runtime_error);
}

TEST(VirtualLoop, reports_task_that_waits_forever) {
  VirtualLoop loop;
  EXPECT_THROW(loop.run([](TimeSource& time) -> Task<> {
    Condition never(time);
    co_await never.wait();
  }(loop.time())),
               InvariantViolation);
}

TEST(VirtualLoop, stops_at_limit) {
  VirtualLoop loop;
  int calls = 0;
  loop.time().schedule(MonoTime(1s), [&] { ++calls; });
  loop.time().schedule(MonoTime(3s), [&] { ++calls; });
  loop.run_for(2s);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(loop.time().now(), MonoTime(2s));
}

// The order in which three ready tasks run.
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

TEST(VirtualLoop, orders_ready_tasks_by_seed) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    orders.insert(order_of_three(seed));
    EXPECT_EQ(order_of_three(seed), order_of_three(seed)) << "seed " << seed;
  }
  EXPECT_EQ(orders.size(), 6U) << "all there are";
}

TEST(VirtualLoop, cancels_unstarted_and_waiting_tasks) {
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

TEST(VirtualLoop, calls_back_after_number_of_tasks) {
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

TEST(VirtualTime, keeps_scheduling_order_of_simultaneous_timers) {
  VirtualLoop loop;
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    loop.time().schedule(MonoTime(1s), [&order, name] { order += name; });
  }
  loop.run_for(1s);
  EXPECT_EQ(order, "abc");
}

TEST(VirtualTime, steps_wall_time_apart_from_monotonic_time) {
  VirtualLoop loop;
  const WallTime before = loop.time().wall_now();
  loop.time().step_wall(-1h);
  EXPECT_EQ(loop.time().wall_now(), before - 1h);
  EXPECT_EQ(loop.time().now(), MonoTime());
}

TEST(Loop, delivers_signals_and_timers_in_order) {
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

TEST(Loop, finishes_everything_while_events_gather) {
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
