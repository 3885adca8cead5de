#include "runtime/task_group.hpp"

#include <stdexcept>

#include "runtime/cancellation.hpp"
#include "runtime/condition.hpp"
#include "test/support/co_test.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

Task<> sleep_for_ever(TimeSource& time, int& ended) {
  struct OnEnd {
    int& count;
    ~OnEnd() { ++count; }
  } on_end{ended};
  while (true) co_await sleep_for(time, 1h);
}

Task<> fail_after(TimeSource& time, Duration delay, std::string message) {
  co_await sleep_for(time, delay);
  throw std::runtime_error(message);
}

CO_TEST(TaskGroup, waits_for_every_task) {
  TaskGroup group(loop.executor());
  for (int i = 1; i <= 3; ++i) group.spawn("sleeper", sleep_for(loop.time(), i * 1s));
  co_await group.join();
  EXPECT_EQ(loop.time().now().time_since_epoch(), 3s);
  EXPECT_EQ(group.running(), 0U);
}

CO_TEST(TaskGroup, returns_at_once_if_empty) {
  TaskGroup group(loop.executor());
  co_await group.join();
  EXPECT_EQ(group.running(), 0U);
}

CO_TEST(TaskGroup, cancels_siblings_and_rethrows_first_failure) {
  TaskGroup group(loop.executor());
  int ended = 0;
  group.spawn("a", sleep_for_ever(loop.time(), ended));
  group.spawn("b", sleep_for_ever(loop.time(), ended));
  group.spawn("fails", fail_after(loop.time(), 5ms, "first"));
  group.spawn("fails too", fail_after(loop.time(), 5ms, "second"));
  std::string message;
  try {
    co_await group.join();
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "first");
  EXPECT_EQ(ended, 2);
  EXPECT_GE(group.failures(), 1U);
}

CO_TEST(TaskGroup, cancels_and_awaits_tasks_if_join_is_cancelled) {
  int ended = 0;
  TaskGroup outer(loop.executor());
  outer.spawn("owner", [](VirtualLoop& l, int& count) -> Task<> {
    TaskGroup inner(l.executor());
    inner.spawn("sleeper", sleep_for_ever(l.time(), count));
    co_await inner.join();
  }(loop, ended));
  co_await sleep_for(loop.time(), 1s);
  outer.cancel();
  co_await outer.join();
  EXPECT_EQ(ended, 1);
}

CO_TEST(TaskGroup, stops_owner_cancelled_in_join) {
  int ended = 0;
  TaskGroup outer(loop.executor());
  outer.spawn("owner", [](VirtualLoop& l, int& count) -> Task<> {
    while (true) {
      TaskGroup inner(l.executor());
      inner.spawn("sleeper", sleep_for_ever(l.time(), count));
      co_await inner.join();
      co_await yield();
    }
  }(loop, ended));
  co_await sleep_for(loop.time(), 1s);
  outer.cancel();
  co_await outer.join();
  EXPECT_EQ(ended, 1);
}

CO_TEST(TaskGroup, allows_cancelling_owner_after_inner_group) {
  TaskGroup outer(loop.executor());
  outer.spawn("owner", [](VirtualLoop& l) -> Task<> {
    {
      TaskGroup inner(l.executor());
      inner.spawn("short", sleep_for(l.time(), 1s));
      co_await inner.join();
    }
    co_await sleep_for(l.time(), 24h);
  }(loop));
  co_await sleep_for(loop.time(), 2s);
  outer.cancel();
  co_await outer.join();
  EXPECT_EQ(loop.time().now().time_since_epoch(), 2s);
}

CO_TEST(TaskGroup, starts_task_cancelled_after_cancel) {
  TaskGroup group(loop.executor());
  group.cancel();
  int ended = 0;
  group.spawn("late", sleep_for_ever(loop.time(), ended));
  co_await group.join();
  EXPECT_EQ(loop.time().now().time_since_epoch(), 0s);
}

CO_TEST(TaskGroup, ends_task_that_cancels_group_without_waiting) {
  TaskGroup group(loop.executor());
  group.spawn("canceller", [](TaskGroup& own) -> Task<> {
    own.cancel();
    co_return;
  }(group));
  co_await group.join();
  EXPECT_EQ(group.failures(), 0U);
}

CO_TEST(TaskGroup, names_running_tasks) {
  TaskGroup group(loop.executor());
  int ended = 0;
  group.spawn("pods reflector", sleep_for_ever(loop.time(), ended));
  co_await yield();
  EXPECT_EQ(group.running_names(), std::vector<std::string>{"pods reflector"});
  group.cancel();
  co_await group.join();
}

TEST(TaskGroupDeathTest, names_running_tasks_before_it_terminates) {
  const auto destroy = [] {
    VirtualLoop loop;
    int ended = 0;
    TaskGroup group(loop.executor());
    group.spawn("left running", sleep_for_ever(loop.time(), ended));
  };
  EXPECT_DEATH(destroy(), "A TaskGroup is destroyed while \"left running\" runs");
}

}  // namespace
}  // namespace dcm::runtime
