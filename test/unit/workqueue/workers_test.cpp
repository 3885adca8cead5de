#include "workqueue/workers.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

#include "runtime/assert.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/workqueue/fixture.hpp"
#include "workqueue/queue.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;
using runtime::MetricsRegistry;
using runtime::Task;
using runtime::TaskGroup;
using runtime::VirtualLoop;
using testing::ElementsAre;
using testing::HasSubstr;
using TestFront = Queue<TestItem, TestNamespaceOf, TestHash>;
using TestHandler = std::function<Task<Outcome>(TestItem)>;

// A queue with workers that record when they handle what.
struct Setup {
  explicit Setup(VirtualLoop& on)
      : loop(on),
        backend(std::make_shared<runtime::LogBackend>(
            on.time(), runtime::LogFormat::text,
            [this](runtime::Severity, std::string_view line) { log.emplace_back(line); })),
        queue(on.time(), metrics, Options("test", 4)),
        failures(metrics, "test", runtime::Logger(backend)),
        group(on.executor()) {}

  void start(std::size_t workers, TestHandler handler) {
    group.spawn("workers", run_workers(loop.executor(), workers, queue, std::move(handler),
                                       &TestItem::str_of, failures));
  }

  Task<> finish() {
    queue.shut_down(ShutDown::drain);
    co_await group.join();
  }

  std::string at(const TestItem& item) const {
    const auto passed = loop.time().now().time_since_epoch();
    return item.str() + "@" +
           std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
  }

  VirtualLoop& loop;
  std::vector<std::string> log;
  std::shared_ptr<runtime::LogBackend> backend;
  MetricsRegistry metrics;
  TestFront queue;
  HandlerFailures failures;
  std::vector<std::string> handled;  // "item@ms"
  TaskGroup group;
};

CO_TEST(Workers, handle_every_item_and_end_after_drain) {
  Setup setup(loop);
  setup.start(2, [&](TestItem item) -> Task<Outcome> {
    setup.handled.push_back(setup.at(item));
    co_await runtime::sleep_for(loop.time(), 1s);
    co_return Outcome::done();
  });
  for (const char* item : {"a/1", "b/1", "a/2"}) setup.queue.add(item, Priority::live);
  co_await runtime::yield();
  co_await setup.finish();
  EXPECT_THAT(setup.handled, ElementsAre("a/1@0", "b/1@0", "a/2@1000"));
}

CO_TEST(Workers, back_off_on_retry_and_reset_on_success) {
  Setup setup(loop);
  setup.start(2, [&](TestItem item) -> Task<Outcome> {
    setup.handled.push_back(setup.at(item));
    co_return setup.handled.size() == 3 ? Outcome::done() : Outcome::retry();
  });
  setup.queue.add("a/1", Priority::live);
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_THAT(setup.handled, ElementsAre("a/1@0", "a/1@5", "a/1@15"));
  EXPECT_EQ(setup.queue.failures("a/1"), 0U);
  co_await setup.finish();
}

CO_TEST(Workers, reset_backoff_on_retry_after) {
  Setup setup(loop);
  setup.start(2, [&](TestItem item) -> Task<Outcome> {
    setup.handled.push_back(setup.at(item));
    if (setup.handled.size() == 1) co_return Outcome::retry();
    if (setup.handled.size() == 2) co_return Outcome::requeue_after(10s);
    co_return Outcome::done();
  });
  setup.queue.add("a/1", Priority::live);
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_EQ(setup.queue.failures("a/1"), 0U);
  co_await runtime::sleep_for(loop.time(), 1min);
  EXPECT_THAT(setup.handled, ElementsAre("a/1@0", "a/1@5", "a/1@10005"));
  co_await setup.finish();
}

CO_TEST(Workers, keep_backoff_of_item_set_aside) {
  Setup setup(loop);
  setup.start(2, [&](TestItem item) -> Task<Outcome> {
    setup.handled.push_back(setup.at(item));
    if (setup.handled.size() == 2) co_return Outcome::set_aside();
    co_return setup.handled.size() < 4 ? Outcome::retry() : Outcome::done();
  });
  setup.queue.add("a/1", Priority::live);
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_THAT(setup.handled, ElementsAre("a/1@0", "a/1@5"));
  EXPECT_EQ(setup.queue.failures("a/1"), 1U);
  setup.queue.add("a/1", Priority::live);
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_THAT(setup.handled, ElementsAre("a/1@0", "a/1@5", "a/1@1000", "a/1@1010"));
  EXPECT_EQ(setup.queue.failures("a/1"), 0U);
  co_await setup.finish();
}

CO_TEST(Workers, log_count_and_retry_exception_of_handler) {
  Setup setup(loop);
  setup.start(1, [&](TestItem item) -> Task<Outcome> {
    setup.handled.push_back(setup.at(item));
    if (setup.handled.size() == 1) throw std::out_of_range("no such index");
    co_return Outcome::done();
  });
  setup.queue.add("a/1", Priority::live);
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_THAT(setup.handled, ElementsAre("a/1@0", "a/1@5"));
  EXPECT_THAT(setup.metrics.expose(),
              HasSubstr("controller_worker_panics_total{name=\"test\"} 1\n"));
  CO_ASSERT_EQ(setup.log.size(), 1U);
  EXPECT_THAT(setup.log[0], HasSubstr(R"(queue="test" item="a/1" exception="no such index")"));
  EXPECT_TRUE(setup.log[0].starts_with('E'));
  co_await setup.finish();
}

// The exception that run_workers throws when a handler throws `E`.
template <class E>
Task<bool> is_rethrown(VirtualLoop& loop, E exception) {
  Setup setup(loop);
  setup.start(2, [&](TestItem) -> Task<Outcome> {
    throw exception;
    co_return Outcome::done();
  });
  setup.queue.add("a/1", Priority::live);
  try {
    co_await setup.group.join();
  } catch (const E&) {
    co_return true;
  }
  co_return false;
}

CO_TEST(Workers, end_on_broken_invariant_and_lack_of_memory) {
  const bool invariant = co_await is_rethrown(loop, runtime::InvariantViolation("lost track"));
  EXPECT_TRUE(invariant);
  const bool memory = co_await is_rethrown(loop, std::bad_alloc());
  EXPECT_TRUE(memory);
}

CO_TEST(Workers, return_items_when_cancelled) {
  Setup setup(loop);
  setup.start(3, [&](TestItem item) -> Task<Outcome> {
    setup.handled.push_back(setup.at(item));
    co_await runtime::sleep_for(loop.time(), 1h);
    co_return Outcome::done();
  });
  setup.queue.add("a/1", Priority::live);
  setup.queue.add("b/1", Priority::live);
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_EQ(setup.queue.len(), 0U);
  setup.group.cancel();
  co_await setup.group.join();
  EXPECT_EQ(setup.queue.state("a/1"), ItemState::waiting);
  EXPECT_EQ(setup.queue.state("b/1"), ItemState::waiting);
  EXPECT_THAT(setup.metrics.expose(), HasSubstr("panics_total{name=\"test\"} 0\n"))
      << "a cancellation is no bug";
}

CO_TEST(Workers, yield_between_items) {
  Setup setup(loop);
  setup.start(1, [&](TestItem item) -> Task<Outcome> {
    setup.handled.push_back(setup.at(item));
    co_return Outcome::done();
  });
  for (int i = 0; i < 100; ++i) setup.queue.add(TestItem("a/" + std::to_string(i)), Priority::live);
  co_await runtime::yield();
  co_await runtime::yield();
  EXPECT_LT(setup.handled.size(), 5U);
  co_await setup.finish();
  EXPECT_EQ(setup.handled.size(), 100U);
}

TEST(Outcome, is_done_if_requeued_without_delay) {
  EXPECT_EQ(Outcome::requeue_after(0s), Outcome::done());
  EXPECT_EQ(Outcome::requeue_after(-1s), Outcome::done());
  EXPECT_NE(Outcome::requeue_after(1ns), Outcome::done());
}

TEST(Outcome, orders_by_urgency) {
  const Outcome by_eagerness[] = {Outcome::retry(),           Outcome::retry(7s),
                                  Outcome::requeue_after(1s), Outcome::requeue_after(1min),
                                  Outcome::set_aside(),       Outcome::done()};
  EXPECT_TRUE(std::ranges::is_sorted(by_eagerness));
  EXPECT_LT(Outcome::retry(1h), Outcome::requeue_after(1s)) << "a failure goes with its back-off";
}

}  // namespace
}  // namespace dcm::workqueue
