#include "client/request/admission.hpp"

#include <map>
#include <string>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Duration;
using runtime::Result;
using runtime::Task;
using runtime::TaskGroup;

// Sends requests of `hold` each through an Admission and records the order of their turns.
class Crowd {
 public:
  Crowd(runtime::VirtualLoop& loop, AdmissionLimits limits)
      : admission(loop.time(), limits), time_(loop.time()), group_(loop.executor()) {}

  void arrive(char name, PriorityLevel priority, Duration hold, int count = 1) {
    for (int i = 0; i < count; ++i) group_.spawn("request", pass(name, priority, hold));
  }
  Task<> all_gone() { co_await group_.join(); }
  void cancel() { group_.cancel(); }
  int count(char name) const { return static_cast<int>(std::ranges::count(order, name)); }

  Admission admission;
  std::string order;
  std::map<char, int> most_at_once;

 private:
  Task<> pass(char name, PriorityLevel priority, Duration hold) {
    const Result<Admission::Permit> permit = co_await admission.admit(priority, {});
    EXPECT_TRUE(permit);
    order += name;
    most_at_once[name] = std::max(most_at_once[name], ++now_[name]);
    co_await runtime::sleep_for(time_, hold);
    --now_[name];
  }

  runtime::TimeSource& time_;
  std::map<char, int> now_;
  TaskGroup group_;
};

CO_TEST(Admission, admits_burst_at_once_and_the_rest_at_the_rate) {
  Crowd crowd(loop, {.qps = 10, .burst = 5});
  const auto start = loop.time().now();
  crowd.arrive('l', PriorityLevel::live, 0s, 25);
  co_await runtime::yield();
  co_await runtime::yield();
  EXPECT_EQ(crowd.count('l'), 5);
  co_await crowd.all_gone();
  EXPECT_NEAR(std::chrono::duration<double>(loop.time().now() - start).count(), 2.0, 0.001);
}

CO_TEST(Admission, limits_only_concurrency_without_rate) {
  Crowd crowd(loop, {.qps = 0, .inflight_max = 3});
  const auto start = loop.time().now();
  crowd.arrive('l', PriorityLevel::live, 1s, 9);
  co_await crowd.all_gone();
  EXPECT_EQ(crowd.most_at_once['l'], 3);
  EXPECT_EQ(loop.time().now() - start, 3s);
  EXPECT_EQ(crowd.admission.in_flight(), 0U);
}

CO_TEST(Admission, prefers_live_work_to_backlog) {
  Crowd crowd(loop, {.qps = 0, .inflight_max = 1});
  crowd.arrive('x', PriorityLevel::live, 1s);
  co_await runtime::yield();
  crowd.arrive('b', PriorityLevel::backlog, 1s, 2);
  crowd.arrive('l', PriorityLevel::live, 1s, 2);
  co_await crowd.all_gone();
  EXPECT_EQ(crowd.order, "xllbb");
}

CO_TEST(Admission, is_first_come_first_served_within_priority) {
  Crowd crowd(loop, {.qps = 0, .inflight_max = 1});
  for (const char name : std::string("abcdef")) crowd.arrive(name, PriorityLevel::backlog, 1s);
  co_await crowd.all_gone();
  EXPECT_EQ(crowd.order, "abcdef");
}

CO_TEST(Admission, gives_backlog_one_turn_in_eight) {
  Crowd crowd(loop, {.qps = 0, .inflight_max = 1});
  crowd.arrive('l', PriorityLevel::live, 1s, 400);
  crowd.arrive('b', PriorityLevel::backlog, 1s, 100);
  co_await runtime::sleep_for(loop.time(), 320s);
  EXPECT_NEAR(crowd.count('b'), 40, 3);
  crowd.cancel();
  co_await crowd.all_gone();
  EXPECT_EQ(crowd.admission.waiting(), 0U);
}

CO_TEST(Admission, reserves_a_tenth_of_slots_and_rate_for_events) {
  Crowd crowd(loop, {.qps = 100, .burst = 10, .inflight_max = 30});
  const auto start = loop.time().now();
  crowd.arrive('e', PriorityLevel::event, 1s, 51);
  co_await crowd.all_gone();
  EXPECT_EQ(crowd.most_at_once['e'], 3);
  EXPECT_GE(loop.time().now() - start, 17s);
}

CO_TEST(Admission, limits_events_to_a_tenth_of_rate) {
  Crowd crowd(loop, {.qps = 100, .burst = 10});
  const auto start = loop.time().now();
  crowd.arrive('e', PriorityLevel::event, 0s, 51);
  co_await crowd.all_gone();
  EXPECT_NEAR(std::chrono::duration<double>(loop.time().now() - start).count(), 5.0, 0.001);
}

CO_TEST(Admission, keeps_limits_of_work_and_events_apart) {
  Crowd crowd(loop, {.qps = 100, .burst = 10, .inflight_max = 20});
  crowd.arrive('l', PriorityLevel::live, 10ms, 2'000);
  crowd.arrive('b', PriorityLevel::backlog, 10ms, 2'000);
  crowd.arrive('e', PriorityLevel::event, 10ms, 200);
  co_await runtime::sleep_for(loop.time(), 10s);
  EXPECT_NEAR(crowd.count('l') + crowd.count('b'), 1'010, 5);
  EXPECT_NEAR(crowd.count('e'), 101, 3);
  crowd.cancel();
  co_await crowd.all_gone();
}

CO_TEST(Admission, isolates_slow_events_from_work) {
  Crowd crowd(loop, {.qps = 0, .inflight_max = 10});
  crowd.arrive('e', PriorityLevel::event, 1h, 20);
  co_await runtime::yield();
  const auto start = loop.time().now();
  crowd.arrive('l', PriorityLevel::live, 1s, 90);
  co_await runtime::sleep_for(loop.time(), 11s);
  EXPECT_EQ(crowd.count('l'), 90);
  EXPECT_EQ(crowd.count('e'), 1);
  EXPECT_LE(loop.time().now() - start, 11s);
  crowd.cancel();
  co_await crowd.all_gone();
}

CO_TEST(Admission, admits_exempt_requests_immediately) {
  Crowd crowd(loop, {.qps = 1, .burst = 1, .inflight_max = 1});
  crowd.arrive('l', PriorityLevel::live, 1h, 3);
  co_await runtime::yield();
  crowd.arrive('x', PriorityLevel::exempt, 0s, 5);
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(crowd.count('x'), 5);
  EXPECT_EQ(crowd.admission.in_flight(), 1U);
  crowd.cancel();
  co_await crowd.all_gone();
}

CO_TEST(Admission, fails_unsent_call_at_deadline) {
  Admission admission(loop.time(), {.qps = 0, .inflight_max = 1});
  const Result<Admission::Permit> holder = co_await admission.admit(PriorityLevel::live, {});
  CO_ASSERT_TRUE(holder);
  const Result<Admission::Permit> late =
      co_await admission.admit(PriorityLevel::live, Deadline::after(loop.time(), 5s));
  CO_ASSERT_TRUE(!late);
  EXPECT_EQ(late.error().reason, runtime::Reason::too_many_requests);
  EXPECT_TRUE(runtime::is_refused_untouched(late.error()));
  EXPECT_EQ(admission.waiting(), 0U);
}

CO_TEST(Admission, runs_no_timer_without_waiting_calls) {
  Admission admission(loop.time(), {.qps = 0.001, .burst = 1});
  for (int i = 0; i < 2; ++i) {
    co_await admission.admit(PriorityLevel::live, Deadline::after(loop.time(), 5s));
  }
  EXPECT_EQ(loop.time().pending(), 0U);
}

CO_TEST(Admission, returns_slot_of_cancelled_waiter) {
  Crowd crowd(loop, {.qps = 0, .inflight_max = 1});
  auto holder = std::make_unique<Result<Admission::Permit>>(
      co_await crowd.admission.admit(PriorityLevel::live, {}));
  crowd.arrive('l', PriorityLevel::live, 0s);
  co_await runtime::yield();
  CO_ASSERT_EQ(crowd.admission.waiting(), 1U);
  // The call is cancelled, and gets its turn before it has run.
  crowd.cancel();
  holder.reset();
  EXPECT_EQ(crowd.admission.in_flight(), 1U);
  co_await crowd.all_gone();
  EXPECT_EQ(crowd.order, "");
  EXPECT_EQ(crowd.admission.in_flight(), 0U);
}

}  // namespace
}  // namespace dcm::client
