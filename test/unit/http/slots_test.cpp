#include "runtime/http/slots.hpp"

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::http {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::TaskGroup;

runtime::Task<> take_and_give_back(Slots& slots, std::string& order, char name) {
  const auto slot = co_await slots.acquire({});
  CO_ASSERT_TRUE(slot);
  order += name;
}

CO_TEST(Slots, a_slot_that_gets_free_goes_to_the_longest_waiter_not_to_a_newcomer) {
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

CO_TEST(Slots, one_granted_to_a_task_that_is_cancelled_at_that_moment_is_not_lost) {
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

CO_TEST(Slots, a_wait_ends_at_its_deadline_and_takes_nothing) {
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

}  // namespace
}  // namespace dcm::http
