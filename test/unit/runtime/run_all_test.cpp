#include "runtime/run_all.hpp"

#include <stdexcept>
#include <string>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

Task<std::string> say_after(TimeSource& time, Duration delay, std::string what) {
  co_await sleep_for(time, delay);
  co_return what;
}

Task<> note_after(TimeSource& time, Duration delay, std::vector<Duration>& noted) {
  co_await sleep_for(time, delay);
  noted.push_back(delay);
}

Task<> fail_after(TimeSource& time, Duration delay) {
  co_await sleep_for(time, delay);
  throw std::runtime_error("failed");
}

CO_TEST(RunAll, returns_results_in_order_of_tasks_after_the_slowest) {
  std::vector<Task<std::string>> tasks;
  tasks.push_back(say_after(loop.time(), 3s, "a"));
  tasks.push_back(say_after(loop.time(), 1s, "b"));
  const auto said = co_await run_all(loop.executor(), std::move(tasks));
  EXPECT_EQ(said, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(loop.time().now().time_since_epoch(), 3s);
}

TEST(RunOn, returns_value_of_task) {
  VirtualLoop loop;
  EXPECT_EQ(run_on(loop, say_after(loop.time(), 3s, "a")), "a");
}

CO_TEST(RunAll, returns_at_once_without_tasks) {
  co_await run_all(loop.executor(), std::vector<Task<>>());
  EXPECT_TRUE((co_await run_all(loop.executor(), std::vector<Task<int>>())).empty());
}

CO_TEST(RunAll, cancels_others_and_rethrows_failure) {
  std::vector<Duration> noted;
  std::vector<Task<>> tasks;
  tasks.push_back(note_after(loop.time(), 1s, noted));
  tasks.push_back(fail_after(loop.time(), 2s));
  tasks.push_back(note_after(loop.time(), 3s, noted));
  std::string message;
  try {
    co_await run_all(loop.executor(), std::move(tasks));
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "failed");
  EXPECT_EQ(noted, (std::vector<Duration>{1s}));
}

CO_TEST(RunAll, ends_with_its_caller_without_results) {
  bool has_returned = false;
  TaskGroup callers(loop.executor());
  callers.spawn("caller", [](VirtualLoop& l, bool& returned) -> Task<> {
    std::vector<Task<std::string>> tasks;
    tasks.push_back(say_after(l.time(), 1h, "late"));
    (void)co_await run_all(l.executor(), std::move(tasks));
    returned = true;
  }(loop, has_returned));
  co_await sleep_for(loop.time(), 1s);
  callers.cancel();
  co_await callers.join();
  EXPECT_FALSE(has_returned);
  EXPECT_EQ(loop.time().now().time_since_epoch(), 1s);
}

}  // namespace
}  // namespace dcm::runtime
