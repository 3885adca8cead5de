// The coroutine front: waiting for items, waking up, timers, metrics. Effects of the calls on an
// item are tested without coroutines in states_test.cpp.
#include "workqueue/queue.hpp"

#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/workqueue/fixture.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;
using runtime::MetricsRegistry;
using runtime::Task;
using runtime::TaskGroup;
using runtime::VirtualLoop;
using testing::HasSubstr;
using TestFront = Queue<TestItem, TestNamespaceOf, TestHash>;

struct Setup {
  explicit Setup(VirtualLoop& loop, std::size_t workers = 10)
      : queue(loop.time(), metrics, Options("test", workers)) {}

  MetricsRegistry metrics;
  TestFront queue;
};

// Takes one item and records it; "-" for the end.
Task<> take_one(TestFront& queue, std::string& order) {
  const std::optional<TestItem> item = co_await queue.get();
  order += item ? item->str() + " " : "- ";
}

CO_TEST(Queue, hands_out_waiting_item_at_once) {
  Setup setup(loop);
  setup.queue.add("a/1", Priority::live);
  std::string order;
  co_await take_one(setup.queue, order);
  EXPECT_EQ(order, "a/1 ");
}

CO_TEST(Queue, returns_priority_of_item) {
  Setup setup(loop);
  setup.queue.add("a/1", Priority::backlog);
  std::string order;
  co_await take_one(setup.queue, order);
  EXPECT_EQ(setup.queue.running_priority("a/1"), Priority::backlog);
  setup.queue.add("a/1", Priority::live);  // counts for the next time
  EXPECT_EQ(setup.queue.running_priority("a/1"), Priority::backlog);
  setup.queue.done("a/1");
  co_await take_one(setup.queue, order);
  EXPECT_EQ(setup.queue.running_priority("a/1"), Priority::live);
}

CO_TEST(Queue, wakes_one_waiter_per_add) {
  Setup setup(loop);
  TaskGroup group(loop.executor());
  std::string order;
  for (int i = 0; i < 3; ++i) group.spawn("worker", take_one(setup.queue, order));
  co_await runtime::yield();
  setup.queue.add("a/1", Priority::live);
  setup.queue.add("a/1", Priority::live);
  setup.queue.add("a/2", Priority::live);
  co_await runtime::yield();
  EXPECT_EQ(order, "a/1 a/2 ");
  EXPECT_EQ(group.running(), 1U);
  setup.queue.shut_down(ShutDown::drain);
  co_await group.join();
  EXPECT_EQ(order, "a/1 a/2 - ");
}

CO_TEST(Queue, keeps_waiter_waiting_whose_item_was_taken) {
  Setup setup(loop);
  TaskGroup group(loop.executor());
  std::string order;
  group.spawn("waiter", take_one(setup.queue, order));
  co_await runtime::yield();
  setup.queue.add("a/1", Priority::live);
  co_await take_one(setup.queue, order);  // comes before the waiter gets its turn
  co_await runtime::yield();
  EXPECT_EQ(order, "a/1 ");
  setup.queue.add("a/2", Priority::live);
  co_await group.join();
  EXPECT_EQ(order, "a/1 a/2 ");
}

// Of 20 workers, eight have items of a, eight of b, three of c, and one is idle.
CO_TEST(Queue, wakes_waiter_when_another_makes_room_for_two_namespaces) {
  Setup setup(loop, 20);
  TaskGroup group(loop.executor());
  std::string order;
  const auto add = [&](const char* namespace_, int count) {
    for (int i = 1; i <= count; ++i) {
      setup.queue.add(TestItem(fmt::format("{}/{}", namespace_, i)), Priority::live);
    }
  };
  add("c", 3);
  for (int i = 0; i < 3; ++i) co_await take_one(setup.queue, order);
  add("a", 9);
  add("b", 9);
  for (int i = 0; i < 16; ++i) co_await take_one(setup.queue, order);
  EXPECT_TRUE(order.ends_with("a/8 b/8 ")) << order;
  order.clear();
  group.spawn("waiter", take_one(setup.queue, order));
  co_await runtime::yield();
  EXPECT_EQ(order, "");
  setup.queue.done("b/1");
  co_await take_one(setup.queue, order);
  co_await group.join();
  EXPECT_EQ(order, "a/9 b/9 ");
}

CO_TEST(Queue, wakes_waiter_when_items_are_no_longer_new) {
  Setup setup(loop, 50);
  const MonoTime start = loop.time().now();
  for (int i = 1; i <= 33; ++i) setup.queue.add(TestItem(fmt::format("a/{}", i)), Priority::live);
  std::string order;
  for (int i = 1; i <= 32; ++i) co_await take_one(setup.queue, order);
  EXPECT_EQ(loop.time().now() - start, 0s);
  co_await take_one(setup.queue, order);
  EXPECT_EQ(loop.time().now() - start, 250ms);
}

CO_TEST(Queue, wakes_waiter_when_delay_ends) {
  Setup setup(loop);
  const MonoTime start = loop.time().now();
  setup.queue.add("a/late", {.after = 1h});
  setup.queue.add("a/early", {.after = 5s});
  std::string order;
  co_await take_one(setup.queue, order);
  EXPECT_EQ(loop.time().now() - start, 5s);
  co_await take_one(setup.queue, order);
  EXPECT_EQ(loop.time().now() - start, 1h);
  EXPECT_EQ(order, "a/early a/late ");
}

CO_TEST(Queue, delivers_a_thousand_delays_that_end_together) {
  Setup setup(loop);
  for (int i = 0; i < 1000; ++i) setup.queue.add(TestItem("a/" + std::to_string(i)), {.after = 1s});
  std::string last;
  for (int i = 0; i < 1000; ++i) {
    const std::optional<TestItem> item = co_await setup.queue.get();
    last = item->str();
    setup.queue.done(*item);
  }
  EXPECT_EQ(last, "a/999");
}

CO_TEST(Queue, wakes_waiter_when_dirty_item_is_done) {
  Setup setup(loop);
  TaskGroup group(loop.executor());
  std::string order;
  setup.queue.add("a/1", Priority::live);
  co_await take_one(setup.queue, order);
  group.spawn("waiter", take_one(setup.queue, order));
  co_await runtime::yield();
  setup.queue.add("a/1", Priority::live);
  co_await runtime::yield();
  EXPECT_EQ(order, "a/1 ");
  setup.queue.done("a/1");
  co_await group.join();
  EXPECT_EQ(order, "a/1 a/1 ");
}

CO_TEST(Queue, leaves_no_timer_when_destroyed) {
  {
    Setup setup(loop);
    setup.queue.add("a/1", {.after = 1h});
    EXPECT_EQ(loop.time().pending(), 1U);
  }
  EXPECT_EQ(loop.time().pending(), 0U);
  co_return;
}

CO_TEST(Queue, ends_get_when_drained) {
  Setup setup(loop);
  setup.queue.add("a/1", Priority::live);
  setup.queue.add("a/2", {.after = 1s});
  setup.queue.shut_down(ShutDown::drain);
  std::string order;
  co_await take_one(setup.queue, order);
  co_await take_one(setup.queue, order);
  EXPECT_EQ(order, "a/1 - ");
}

CO_TEST(QueueMetrics, have_kubernetes_names_and_values) {
  Setup setup(loop);
  setup.queue.add("a/1", Priority::live);
  setup.queue.add("a/2", Priority::live);
  setup.queue.add("a/3", {.after = 1h});
  co_await runtime::sleep_for(loop.time(), 20s);
  std::string order;
  co_await take_one(setup.queue, order);
  co_await runtime::sleep_for(loop.time(), 45s);
  const std::string text = setup.metrics.expose();
  EXPECT_THAT(text, HasSubstr("# HELP workqueue_depth [BETA] Current depth of workqueue\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE workqueue_depth gauge\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"test\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_adds_total{name=\"test\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_retries_total{name=\"test\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_unfinished_work_seconds{name=\"test\"} 45\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_longest_running_processor_seconds{name=\"test\"} 45\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_sum{name=\"test\"} 20\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_count{name=\"test\"} 0\n"));

  setup.queue.done("a/1");
  const std::string after = setup.metrics.expose();
  EXPECT_THAT(after, HasSubstr("workqueue_unfinished_work_seconds{name=\"test\"} 0\n"));
  EXPECT_THAT(after, HasSubstr("workqueue_work_duration_seconds_sum{name=\"test\"} 45\n"));
  EXPECT_THAT(after, HasSubstr("workqueue_adds_total{name=\"test\"} 2\n")) << "counted once";
}

CO_TEST(QueueMetrics, cover_10_ns_to_600_s_in_histograms) {
  Setup setup(loop);
  std::string bounds;
  std::istringstream lines(setup.metrics.expose());
  for (std::string line; std::getline(lines, line);) {
    const auto bound = line.find("le=\"");
    if (line.starts_with("workqueue_work_duration_seconds_bucket") && bound != std::string::npos) {
      bounds += line.substr(bound + 4, line.find('"', bound + 4) - bound - 4) + " ";
    }
  }
  EXPECT_EQ(bounds, "1e-08 1e-07 1e-06 1e-05 0.0001 0.001 0.01 0.1 1 10 30 60 120 300 600 +Inf ");
  co_return;
}

CO_TEST(QueueMetrics, outlive_queue) {
  MetricsRegistry metrics;
  for (int life = 1; life <= 2; ++life) {
    TestFront queue(loop.time(), metrics, Options("test", 10));
    queue.add("a/1", Priority::live);
  }
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("workqueue_adds_total{name=\"test\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"test\"} 0\n"));
  co_return;
}

}  // namespace
}  // namespace dcm::workqueue
