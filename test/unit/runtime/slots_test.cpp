#include "runtime/slots.hpp"

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

runtime::Task<> take_and_give_back(Slots& slots, std::string& order, char name) {
  const auto slot = co_await slots.acquire({});
  CO_ASSERT_TRUE(slot);
  order += name;
}

CO_TEST(Slots, gives_free_slot_to_longest_waiter) {
  Slots slots(loop.time(), 1);
  std::string order;
  TaskGroup group(loop.executor());
  {
    const auto held = co_await slots.acquire({});
    group.spawn("a", take_and_give_back(slots, order, 'a'));
    group.spawn("b", take_and_give_back(slots, order, 'b'));
    co_await runtime::yield();
    CO_ASSERT_EQ(slots.waiting(), 2U);
  }
  co_await take_and_give_back(slots, order, 'c');
  co_await group.join();
  EXPECT_EQ(order, "abc");
}

CO_TEST(Slots, keeps_slot_granted_to_cancelled_task) {
  Slots slots(loop.time(), 1);
  std::string order;
  TaskGroup leaver(loop.executor());
  {
    const auto held = co_await slots.acquire({});
    leaver.spawn("leaver", take_and_give_back(slots, order, 'x'));
    co_await runtime::yield();
  }
  leaver.cancel();
  co_await leaver.join();
  const auto next = co_await slots.acquire(Deadline::after(loop.time(), 1s));
  EXPECT_TRUE(next);
}

CO_TEST(Slots, takes_nothing_after_deadline) {
  Slots slots(loop.time(), 1);
  {
    const auto held = co_await slots.acquire({});
    const auto late = co_await slots.acquire(Deadline::after(loop.time(), 5s));
    CO_ASSERT_TRUE(!late);
    EXPECT_EQ(late.error().reason, runtime::Reason::deadline_exceeded);
    EXPECT_EQ(slots.waiting(), 0U);
  }
  const auto next = co_await slots.acquire(Deadline::after(loop.time(), 1s));
  EXPECT_TRUE(next);
}

Task<> take(Slots& slots, std::size_t count, std::string& order, char name) {
  const auto slot = co_await slots.acquire({}, count);
  CO_ASSERT_TRUE(slot);
  order += name;
}

CO_TEST(Slots, does_not_let_small_requests_overtake_large_one) {
  Slots bytes(loop.time(), 10);
  std::string order;
  TaskGroup group(loop.executor());
  {
    const auto held = co_await bytes.acquire({}, 4);
    group.spawn("much", take(bytes, 8, order, 'm'));
    group.spawn("little", take(bytes, 1, order, 'l'));
    co_await yield();
    EXPECT_EQ(bytes.waiting(), 2U) << "6 are free, but the first in the line wants 8";
  }
  co_await group.join();
  EXPECT_EQ(order, "ml");
}

CO_TEST(Slots, clamps_request_to_total) {
  Slots bytes(loop.time(), 10);
  const auto all = co_await bytes.acquire(Deadline::after(loop.time(), 1s), 1000);
  CO_ASSERT_TRUE(all);
  const auto none = co_await bytes.acquire(Deadline::after(loop.time(), 1s), 1);
  EXPECT_FALSE(none);
}

CO_TEST(Slots, continues_when_first_waiter_gives_up) {
  Slots bytes(loop.time(), 10);
  const auto held = co_await bytes.acquire({}, 4);
  std::string order;
  TaskGroup leaver(loop.executor());
  TaskGroup group(loop.executor());
  leaver.spawn("much", take(bytes, 8, order, 'm'));
  co_await yield();
  group.spawn("little", take(bytes, 1, order, 'l'));
  co_await yield();
  leaver.cancel();
  co_await leaver.join();
  co_await group.join();
  EXPECT_EQ(order, "l");
}

}  // namespace
}  // namespace dcm::runtime
