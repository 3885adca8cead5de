// Delayed items, the length of back-offs, and the memory of failures.
#include <gtest/gtest.h>

#include "test/unit/workqueue/fixture.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;

constexpr const char* kItem = "lab/pod";

void fail_once(TestQueue& queue, const TestItem& item) {
  queue.add(item);
  queue.take();
  queue.add_rate_limited(item);
  queue.done(item);
}

// Fails the item so often that its next attempt is minutes away.
void fail_often(TestQueue& queue, const TestItem& item) {
  for (int failures = 0; failures < 15; ++failures) queue.add_rate_limited(item);
  queue.add(item);
  queue.take();
  queue.done(item);
  queue.add_rate_limited(item);
}

TEST(Delays, keep_earlier_of_two) {
  for (const auto& [first, second] : {std::pair{5s, 10s}, std::pair{10s, 5s}}) {
    TestQueue queue;
    queue.add_after(kItem, first);
    queue.add_after(kItem, second);
    queue.pass(4999ms);
    EXPECT_EQ(queue.state(kItem), ItemState::delayed);
    queue.pass(1ms);
    EXPECT_EQ(queue.handle(), kItem);
    queue.pass(1h);
    EXPECT_EQ(queue.waiting(), 0U) << "there is one delay per item";
  }
}

TEST(Delays, deliver_items_due_together_in_order_of_addition) {
  TestQueue queue;
  for (const char* item : {"a/3", "a/1", "a/2"}) queue.add_after(item, 10s);
  queue.pass(10s);
  EXPECT_EQ(queue.handle(3), "a/3 a/1 a/2");
}

TEST(Delays, keep_requeue_when_item_is_handled_earlier) {
  TestQueue queue;
  queue.add_after(kItem, 10s);
  queue.add(kItem);
  EXPECT_EQ(queue.handle(), kItem);
  EXPECT_EQ(queue.state(kItem), ItemState::delayed);
  queue.pass(10s);
  EXPECT_EQ(queue.handle(), kItem);
}

TEST(Delays, drop_retry_when_item_is_handled_earlier) {
  TestQueue queue;
  queue.add_rate_limited(kItem);
  queue.add(kItem);
  EXPECT_EQ(queue.handle(), kItem);
  EXPECT_EQ(queue.state(kItem), ItemState::idle);
}

TEST(Delays, keep_retry_when_item_fails_earlier) {
  TestQueue queue;
  for (int failures = 0; failures < 10; ++failures) queue.add_rate_limited(kItem);
  fail_once(queue, kItem);
  ASSERT_EQ(queue.queue.failures(kItem), 10U) << "the first of all was due after 5 ms";
  queue.pass(5ms);
  queue.take();
  queue.done(kItem);
  fail_once(queue, kItem);
  queue.pass(4s);
  for (int events = 0; events < 20; ++events) fail_once(queue, kItem);
  EXPECT_EQ(queue.queue.failures(kItem), 11U) << "useless events do not count";
  queue.pass(1119ms);
  EXPECT_EQ(queue.state(kItem), ItemState::delayed);
  queue.pass(1ms);
  EXPECT_EQ(queue.state(kItem), ItemState::waiting) << "5.12 s after the failure";
}

TEST(Delays, keep_retry_when_item_fails_after_earlier_delay) {
  TestQueue queue;
  for (int failures = 0; failures < 10; ++failures) queue.add_rate_limited(kItem);
  queue.pass(5ms);
  queue.take();
  queue.add_rate_limited(kItem);  // due in 5.12 s
  queue.done(kItem);
  const auto fail_after_events = [&] {
    for (int event = 0; event < 2; ++event) {
      queue.add_after(kItem, 2ms);
      queue.pass(1ms);
    }
    queue.take();
    queue.add_rate_limited(kItem);
    queue.done(kItem);
  };
  for (int attempt = 0; attempt < 2'000; ++attempt) fail_after_events();
  EXPECT_EQ(queue.queue.failures(kItem), 11U) << "useless events do not count";
  queue.pass(1119ms);
  EXPECT_EQ(queue.state(kItem), ItemState::delayed);
  queue.pass(1ms);
  EXPECT_EQ(queue.state(kItem), ItemState::waiting) << "5.12 s after the failure";
  EXPECT_EQ(queue.add_rate_limited("lab/other"), 5ms) << "nor do they take tokens";
}

TEST(Delays, keep_retry_set_after_earlier_delay) {
  TestQueue queue;
  for (int failures = 0; failures < 10; ++failures) queue.add_rate_limited(kItem);
  queue.pass(5ms);
  queue.take();
  queue.add_after(kItem, 1s);
  EXPECT_EQ(queue.add_rate_limited(kItem), 5120ms);
  queue.done(kItem);
  queue.pass(1s);
  queue.take();
  EXPECT_EQ(queue.add_rate_limited(kItem), 4120ms) << "the attempt after 1 s was early";
  EXPECT_EQ(queue.queue.failures(kItem), 11U);
}

// An annotation that changes twenty times a second wakes a pod whose claim is refused.
TEST(Delays, take_no_token_for_early_failures) {
  TestQueue queue;
  fail_often(queue, "a/refused");
  for (int events = 0; events < 1000; ++events) fail_once(queue, "a/refused");
  EXPECT_EQ(queue.add_rate_limited("a/other"), 5ms);
}

TEST(Delays, drop_retry_when_item_succeeds_earlier) {
  TestQueue queue;
  fail_often(queue, kItem);
  queue.add(kItem);
  queue.take();
  queue.forget(kItem);
  EXPECT_EQ(queue.add_rate_limited(kItem), 5ms) << "it failed again";
}

TEST(Delays, respect_retry_after_when_item_fails_earlier) {
  TestQueue queue;
  queue.add_rate_limited(kItem);
  queue.add(kItem);
  queue.take();
  EXPECT_EQ(queue.add_rate_limited(kItem, {}, 7s), 7s);
}

TEST(Delays, deliver_all_retries_when_their_cause_ends) {
  TestQueue queue;
  for (const char* item : {"a/1", "a/2"}) fail_often(queue, item);
  queue.add_after("a/3", 10s);
  queue.pass(1s);
  queue.retry_now();
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_EQ(queue.queue.failures("a/1"), 0U) << "they start from zero";
  EXPECT_EQ(queue.handle(2), "a/1 a/2");
  EXPECT_EQ(queue.state("a/3"), ItemState::delayed) << "a requeue is no retry";
}

TEST(Delays, count_retry_absorbed_by_requeue) {
  TestQueue queue;
  fail_often(queue, kItem);
  queue.add_after(kItem, 10s);
  queue.pass(1s);
  queue.retry_now();
  EXPECT_EQ(queue.handle(), kItem);
  // Its hand-out was the retry: only the requeue is left.
  queue.add_after(kItem, 10s);
  queue.add_rate_limited(kItem);
  queue.add(kItem);
  EXPECT_EQ(queue.handle(), kItem);
  queue.retry_now();
  EXPECT_EQ(queue.state(kItem), ItemState::delayed);
}

TEST(Delays, deliver_retry_of_one_item_when_its_cause_ends) {
  TestQueue queue;
  for (const char* item : {"a/1", "a/2"}) fail_often(queue, item);
  queue.add_after("a/3", 10s);
  for (const char* item : {"a/1", "a/3", "a/unknown"}) queue.retry_now(item);
  EXPECT_EQ(queue.handle(2), "a/1 ");
  EXPECT_EQ(queue.state("a/2"), ItemState::delayed);
  EXPECT_EQ(queue.state("a/3"), ItemState::delayed) << "a requeue is no retry";
}

TEST(Delays, reset_backoff_of_running_attempt_when_its_cause_ends) {
  TestQueue queue;
  fail_often(queue, kItem);
  queue.add(kItem);
  queue.take();  // early
  queue.retry_now(kItem);
  EXPECT_EQ(queue.add_rate_limited(kItem), 5ms);
}

TEST(Delays, reset_backoff_of_delivered_retries) {
  TestQueue queue;
  for (int i = 0; i < 3000; ++i) queue.add_rate_limited(TestItem("a/" + std::to_string(i)));
  queue.retry_now();
  EXPECT_EQ(queue.add_rate_limited("a/0"), 5ms);
}

TEST(Delays, deliver_a_thousand_retries_in_portions) {
  TestQueue queue;
  for (int i = 0; i < 1000; ++i) {
    fail_often(queue, TestItem("a/" + std::to_string(i)));
  }
  queue.pass(1s);
  EXPECT_EQ(queue.waiting(), 0U);
  queue.retry_now();
  const std::size_t first = queue.waiting();
  EXPECT_GT(first, 0U);
  EXPECT_LT(first, 1000U);
  for (int i = 0; i < 10; ++i) queue.pass(0s);
  EXPECT_EQ(queue.waiting(), 1000U);
}

TEST(Delays, end_in_portions_when_their_cause_ends) {
  TestQueue queue;
  for (int i = 0; i < 2000; ++i) queue.add_after(TestItem("a/later" + std::to_string(i)), 1s);
  for (int i = 0; i < 2000; ++i) fail_often(queue, TestItem("a/" + std::to_string(i)));
  const auto failing = [&queue] {
    int count = 0;
    for (int i = 0; i < 2000; ++i) {
      if (queue.queue.failures(TestItem("a/" + std::to_string(i))) > 0) ++count;
    }
    return count;
  };
  queue.retry_now();
  EXPECT_GT(failing(), 1000);
  queue.add_rate_limited("a/late");
  queue.add_rate_limited("a/late");
  for (int i = 0; i < 40; ++i) queue.pass(0s);
  EXPECT_EQ(failing(), 0);
  EXPECT_EQ(queue.waiting(), 2000U);
  EXPECT_EQ(queue.queue.failures("a/late"), 2U) << "it has failed since then";
  queue.pass(1s);
  for (int i = 0; i < 40; ++i) queue.pass(0s);
  EXPECT_EQ(queue.waiting(), 4001U);
}

TEST(Delays, let_limited_number_of_retries_go_early) {
  TestQueue queue;
  const auto admitted = [&queue](const std::string& namespace_) {
    int count = 0;
    for (int i = 0; i < 6000; ++i) {
      if (queue.queue.may_go_early(TestItem(namespace_ + "/" + std::to_string(i)))) ++count;
    }
    return count;
  };
  for (int i = 0; i < 6000; ++i) queue.add_after(TestItem("b/" + std::to_string(i)), 1h);
  EXPECT_EQ(admitted("a"), 6000) << "unknown items";
  EXPECT_EQ(admitted("b"), 6000) << "no item waits for a retry";
  for (const char* namespace_ : {"a", "b"}) {
    for (int i = 0; i < 6000; ++i) {
      queue.add_rate_limited(TestItem(std::string(namespace_) + "/" + std::to_string(i)));
    }
  }
  EXPECT_EQ(admitted("a"), 5000);
  EXPECT_EQ(admitted("a"), 0);
  EXPECT_EQ(admitted("b"), 5000) << "each namespace has its own limit";
}

TEST(Delays, keep_retry_on_top_of_requeue) {
  TestQueue queue;
  queue.add_after(kItem, 10s);
  queue.add_rate_limited(kItem);
  queue.add(kItem);
  EXPECT_EQ(queue.handle(), kItem);
  EXPECT_EQ(queue.state(kItem), ItemState::delayed);
}

TEST(Delays, never_deliver_infinite_delay) {
  TestQueue queue;
  queue.add_after(kItem, Duration::max());
  queue.pass(24h * 365 * 100);
  EXPECT_EQ(queue.state(kItem), ItemState::delayed);
}

TEST(Delays, deliver_items_due_together_in_bounded_steps) {
  TestQueue queue;
  for (int i = 0; i < 1000; ++i) queue.add_after(TestItem("a/" + std::to_string(i)), 1s);
  queue.pass(1s);
  EXPECT_LT(queue.waiting(), 1000U);
  EXPECT_EQ(queue.queue.scheduler().next_due(), queue.now()) << "the rest is due";
  for (int step = 0; step < 4; ++step) queue.pass(0s);
  EXPECT_EQ(queue.waiting(), 1000U);
}

TEST(Retries, back_off_until_forgotten) {
  TestQueue queue;
  EXPECT_EQ(queue.add_rate_limited(kItem), 5ms);
  EXPECT_EQ(queue.add_rate_limited(kItem), 10ms);
  EXPECT_EQ(queue.queue.failures(kItem), 2U);
  queue.forget(kItem);
  EXPECT_EQ(queue.add_rate_limited(kItem), 5ms);
}

TEST(Retries, remember_failures_of_idle_item) {
  TestQueue queue;
  queue.add_rate_limited(kItem);
  queue.pass(5ms);
  queue.take();
  queue.done(kItem);
  EXPECT_EQ(queue.state(kItem), ItemState::idle);
  EXPECT_EQ(queue.add_rate_limited(kItem), 10ms);
}

TEST(Retries, separate_namespaces) {
  TestQueue queue;
  Duration last{};
  for (int i = 0; i < 10'000; ++i) {
    last = queue.add_rate_limited(TestItem("noisy/" + std::to_string(i)));
  }
  EXPECT_EQ(last, 990s) << "100 at once, 10 per second";
  EXPECT_EQ(queue.add_rate_limited("quiet/pod"), 5ms);
}

TEST(Delays, respect_retry_after) {
  TestQueue queue;
  EXPECT_EQ(queue.add_rate_limited(kItem, {}, 7s), 7s);
  EXPECT_EQ(queue.add_rate_limited("lab/other"), 5ms) << "and holds up nobody else";
}

TEST(Retries, apply_longer_of_backoff_and_bucket) {
  TestQueue queue;
  for (int i = 0; i < 10; ++i) queue.add_rate_limited(kItem);
  EXPECT_EQ(queue.add_rate_limited(kItem), 5120ms) << "the bucket has tokens";
}

TEST(Memory, keeps_nothing_of_forgotten_item) {
  TestQueue queue;
  queue.add(kItem);
  queue.take();
  queue.add_rate_limited(kItem);
  queue.done(kItem);
  queue.pass(1s);
  EXPECT_EQ(queue.queue.known(), 1U);
  queue.handle();
  EXPECT_EQ(queue.queue.known(), 0U);
}

TEST(Memory, keeps_namespace_only_until_its_bucket_is_full) {
  TestQueue queue;
  queue.add("short/pod");
  queue.handle();
  EXPECT_EQ(queue.queue.scheduler().namespaces(), 0U);
  for (int i = 0; i < 100; ++i) {
    const TestItem item("ns" + std::to_string(i) + "/pod");
    queue.add_rate_limited(item);
    queue.add(item);
    queue.handle();
  }
  EXPECT_EQ(queue.queue.known(), 0U);
  EXPECT_EQ(queue.queue.scheduler().namespaces(), 100U);
  queue.pass(10s);
  for (int i = 0; i < 100; ++i) {
    queue.add(TestItem("new" + std::to_string(i) + "/pod"));
    queue.handle();
  }
  EXPECT_EQ(queue.queue.scheduler().namespaces(), 0U);
}

TEST(Memory, keeps_emptied_bucket_between_items) {
  TestQueue queue;
  for (int i = 0; i < 200; ++i) queue.add_rate_limited("lab/a");
  queue.forget("lab/a");
  queue.add("lab/a");
  queue.handle();
  ASSERT_EQ(queue.queue.known(), 0U);
  EXPECT_EQ(queue.add_rate_limited("lab/b"), 10'100ms);
}

TEST(Memory, is_small_per_entry) {
  EXPECT_LE(sizeof(Entry), 80U);
}

}  // namespace
}  // namespace dcm::workqueue
