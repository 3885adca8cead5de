#include "runtime/condition.hpp"

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;
using Wakeup = Condition::Wakeup;

CO_TEST(Condition, ends_wait_at_deadline) {
  Condition condition(loop.time());
  const MonoTime start = loop.time().now();
  const Wakeup outcome = co_await condition.wait(Deadline::after(loop.time(), 3h));
  EXPECT_EQ(outcome, Wakeup::timed_out);
  EXPECT_EQ(loop.time().now() - start, 3h);
}

CO_TEST(Condition, wakes_longest_waiter_or_all) {
  Condition condition(loop.time());
  TaskGroup group(loop.executor());
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    group.spawn("waiter", [](Condition& c, std::string& o, char n) -> Task<> {
      co_await c.wait();
      o += n;
    }(condition, order, name));
  }
  co_await yield();
  CO_ASSERT_EQ(condition.waiting(), 3U);
  condition.notify_one();
  co_await yield();
  EXPECT_EQ(order, "a");
  condition.notify_all();
  co_await group.join();
  EXPECT_EQ(order, "abc");
}

CO_TEST(Condition, leaves_no_timer_after_notification) {
  Condition condition(loop.time());
  loop.time().schedule(loop.time().now() + 1s, [&] { condition.notify_one(); });
  const Wakeup outcome = co_await condition.wait(Deadline::after(loop.time(), 1h));
  EXPECT_EQ(outcome, Wakeup::notified);
  EXPECT_EQ(loop.time().pending(), 0U);
}

CO_TEST(Condition, removes_cancelled_waiter) {
  Condition condition(loop.time());
  TaskGroup group(loop.executor());
  group.spawn("waiter", [](Condition& c, TimeSource& time) -> Task<> {
    co_await c.wait(Deadline::after(time, 1h));
    ADD_FAILURE() << "the wait should have thrown";
  }(condition, loop.time()));
  co_await yield();
  group.cancel();
  co_await group.join();
  EXPECT_EQ(condition.waiting(), 0U);
  EXPECT_EQ(loop.time().pending(), 0U);
}

CO_TEST(Sleep, takes_43200_turns_for_a_day_in_two_second_steps) {
  const MonoTime end = loop.time().now() + 24h;
  int turns = 0;
  while (loop.time().now() < end) {
    co_await sleep_for(loop.time(), 2s);
    ++turns;
  }
  EXPECT_EQ(turns, 43'200);
}

}  // namespace
}  // namespace dcm::runtime
