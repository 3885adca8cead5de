// Which item is next: priorities, ageing, turns of the namespaces, and their share of the workers.
#include <gtest/gtest.h>

#include "test/unit/workqueue/fixture.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;

void add_many(TestQueue& queue, const std::string& prefix, int count, Priority priority) {
  for (int i = 1; i <= count; ++i) queue.add(TestItem(prefix + std::to_string(i)), priority);
}

// How many items are handed out until none is left to take.
int take_all(TestQueue& queue) {
  int count = 0;
  while (!queue.take().empty()) ++count;
  return count;
}

TEST(Priorities, give_backlog_one_pick_in_8_while_live_work_waits) {
  TestQueue queue;
  add_many(queue, "a/old", 3, Priority::backlog);
  add_many(queue, "a/new", 20, Priority::live);
  EXPECT_EQ(queue.handle(8), "a/new1 a/new2 a/new3 a/new4 a/new5 a/new6 a/new7 a/old1");
  EXPECT_EQ(queue.handle(8), "a/new8 a/new9 a/new10 a/new11 a/new12 a/new13 a/new14 a/old2");
}

TEST(Priorities, give_backlog_all_picks_without_live_work) {
  TestQueue queue;
  add_many(queue, "a/old", 4, Priority::backlog);
  EXPECT_EQ(queue.handle(2), "a/old1 a/old2");
  queue.add("a/new");
  EXPECT_EQ(queue.handle(3), "a/new a/old3 a/old4");
}

TEST(Priorities, promote_backlog_item_added_as_live) {
  TestQueue queue;
  add_many(queue, "a/old", 3, Priority::backlog);
  queue.add("a/old3", Priority::live);
  EXPECT_EQ(queue.handle(3), "a/old3 a/old1 a/old2");
}

TEST(Priorities, keep_live_item_added_as_backlog) {
  TestQueue queue;
  add_many(queue, "a/", 2, Priority::live);
  queue.add("a/1", Priority::backlog);
  EXPECT_EQ(queue.handle(2), "a/1 a/2");
}

TEST(Priorities, use_most_urgent_priority_of_dirty_item) {
  TestQueue queue;
  queue.add("a/dirty", Priority::backlog);
  queue.take();
  queue.add("a/dirty", Priority::live);
  queue.add("a/dirty", Priority::backlog);
  queue.add("a/old", Priority::backlog);
  queue.done("a/dirty");
  EXPECT_EQ(queue.handle(2), "a/dirty a/old");
}

TEST(Priorities, keep_priority_of_work_for_its_retry) {
  struct {
    const char* sentence;
    Priority added;
    std::optional<Priority> told;
    const char* order;
  } const rows[] = {
      {"backlog stays backlog", Priority::backlog, {}, "a/live a/retried"},
      {"live stays live", Priority::live, {}, "a/retried a/live"},
      {"backlog item added as live", Priority::backlog, Priority::live, "a/retried a/live"},
      {"live item added as backlog", Priority::live, Priority::backlog, "a/live a/retried"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.sentence);
    TestQueue queue;
    queue.add("a/retried", row.added);
    queue.take();
    queue.add_rate_limited("a/retried", row.told);
    queue.done("a/retried");
    queue.pass(5ms);
    queue.add("a/live");
    EXPECT_EQ(queue.handle(2), row.order);
  }
}

TEST(Priorities, keep_priority_of_waiting_item_on_retry) {
  TestQueue queue;
  queue.add_after("a/delayed", 1s, Priority::backlog);
  queue.add("a/waiting", Priority::backlog);
  queue.add_rate_limited("a/delayed");
  queue.add_rate_limited("a/waiting");
  queue.pass(1s);
  queue.add("a/live");
  EXPECT_EQ(queue.handle(3), "a/live a/waiting a/delayed");
}

TEST(Ageing, makes_item_live_after_60_s) {
  TestQueue queue;
  add_many(queue, "a/old", 2, Priority::backlog);
  queue.pass(60s);
  queue.add("a/new1");
  EXPECT_EQ(queue.handle(), "a/new1") << "60 s is not longer than 60 s";
  queue.pass(1ns);
  queue.take();
  queue.add("a/new2");
  EXPECT_EQ(queue.handle(2), "a/old2 a/new2");
}

TEST(Ageing, does_not_make_retry_live) {
  TestQueue queue;
  queue.add("a/old", Priority::backlog);
  queue.pass(61s);
  queue.take();
  queue.add_rate_limited("a/old");
  queue.done("a/old");
  queue.pass(5ms);
  queue.add("a/new");
  EXPECT_EQ(queue.handle(2), "a/new a/old");
}

TEST(Turns, alternate_between_namespaces_in_each_priority) {
  TestQueue queue;
  add_many(queue, "a/", 3, Priority::live);
  add_many(queue, "b/", 1, Priority::live);
  add_many(queue, "c/", 2, Priority::live);
  EXPECT_EQ(queue.handle(6), "a/1 b/1 c/1 a/2 c/2 a/3");
  add_many(queue, "a/", 2, Priority::backlog);
  add_many(queue, "b/", 2, Priority::backlog);
  EXPECT_EQ(queue.handle(4), "a/1 b/1 a/2 b/2");
}

TEST(Share, limits_namespace_to_half_of_workers_while_another_waits) {
  TestQueue queue(4);
  add_many(queue, "slow/", 10, Priority::live);
  add_many(queue, "b/", 10, Priority::live);
  EXPECT_EQ(queue.take(), "slow/1");
  EXPECT_EQ(queue.handle(), "b/1");
  EXPECT_EQ(queue.take(), "slow/2");
  EXPECT_EQ(queue.handle(3), "b/2 b/3 b/4") << "slow has its half";
  queue.done("slow/1");
  EXPECT_EQ(queue.take(), "slow/3");
  EXPECT_EQ(queue.handle(), "b/5");
}

TEST(Share, gives_namespace_all_workers_while_no_other_waits) {
  TestQueue queue(4);
  add_many(queue, "slow/", 10, Priority::live);
  for (const char* item : {"slow/1", "slow/2", "slow/3", "slow/4"}) EXPECT_EQ(queue.take(), item);
  add_many(queue, "b/", 2, Priority::live);
  queue.done("slow/1");
  EXPECT_EQ(queue.handle(3), "b/1 b/2 slow/5") << "the next that becomes free goes to the others";
}

TEST(Share, keeps_workers_for_namespaces_that_come) {
  TestQueue queue(20);
  add_many(queue, "slow/", 30, Priority::live);
  for (int i = 0; i < 18; ++i) EXPECT_NE(queue.take(), "");
  EXPECT_EQ(queue.take(), "");
  queue.add("b/1");
  EXPECT_EQ(queue.take(), "b/1");
  queue.add("c/1", Priority::backlog);
  EXPECT_EQ(queue.take(), "c/1");
  queue.done("slow/1");
  queue.done("b/1");
  EXPECT_EQ(queue.take(), "") << "two idle workers are for others that come";
  queue.done("slow/2");
  EXPECT_EQ(queue.take(), "slow/19");
}

TEST(Share, keeps_worker_from_five_slow_namespaces) {
  TestQueue queue(50);
  for (int slow = 0; slow < 5; ++slow) {
    add_many(queue, std::to_string(slow) + "/", 20, Priority::live);
  }
  EXPECT_EQ(take_all(queue), 32);
  queue.pass(250ms);
  EXPECT_EQ(take_all(queue), 49 - 32);
  queue.add("d/1");
  EXPECT_EQ(queue.take(), "d/1");
}

// Otherwise, each add would look at all namespaces, which takes minutes.
TEST(Share, costs_no_more_with_many_namespaces_while_all_workers_are_busy) {
  TestQueue queue(8);
  add_many(queue, "slow/", 8, Priority::live);
  EXPECT_EQ(take_all(queue), 8);
  for (int i = 0; i < 100'000; ++i) queue.add(TestItem(std::to_string(i) + "/1"));
  EXPECT_EQ(queue.take(), "");
  queue.done("slow/1");
  EXPECT_EQ(queue.take(), "0/1");
}

TEST(Share, gives_up_to_eight_workers_to_one_namespace) {
  for (std::size_t workers = 1; workers <= 8; ++workers) {
    TestQueue queue(workers);
    add_many(queue, "a/", 10, Priority::live);
    for (std::size_t i = 0; i < workers; ++i) EXPECT_NE(queue.take(), "") << workers;
  }
}

TEST(Share, counts_both_priorities_together) {
  TestQueue queue(4);
  add_many(queue, "slow/", 10, Priority::live);
  EXPECT_EQ(queue.take() + queue.take(), "slow/1slow/2");
  add_many(queue, "b/", 2, Priority::backlog);
  EXPECT_EQ(queue.handle(3), "b/1 b/2 slow/3") << "live work of slow lets the others' backlog pass";
}

TEST(Share, rounds_half_of_odd_number_up) {
  TestQueue queue(3);
  add_many(queue, "a/", 5, Priority::live);
  add_many(queue, "b/", 5, Priority::live);
  EXPECT_EQ(queue.take() + queue.take() + queue.take(), "a/1b/1a/2");
}

TEST(Share, serves_all_with_one_worker) {
  TestQueue queue(1);
  add_many(queue, "a/", 2, Priority::live);
  add_many(queue, "b/", 2, Priority::live);
  EXPECT_EQ(queue.handle(4), "a/1 b/1 a/2 b/2");
}

TEST(New, are_at_most_32_items_with_workers) {
  TestQueue queue;
  add_many(queue, "a/", 100, Priority::live);
  EXPECT_EQ(take_all(queue), 32);
  queue.done("a/1");
  EXPECT_EQ(take_all(queue), 1);
  queue.pass(250ms - 1ns);
  EXPECT_EQ(take_all(queue), 0);
  queue.pass(1ns);
  EXPECT_EQ(take_all(queue), 32) << "what takes longer does not count";
}

TEST(Numbers, show_waiting_and_running_items) {
  TestQueue queue;
  add_many(queue, "a/", 3, Priority::live);
  queue.add("a/1");
  queue.take();
  queue.pass(2s);
  queue.take();
  queue.pass(1s);
  queue.add("a/1");
  queue.add("a/1");
  queue.add_after("a/2", 0s);
  queue.add_rate_limited("a/2");
  const Load load = queue.load();
  EXPECT_EQ(load.depth, 3U) << "one waits, two are dirty";
  EXPECT_EQ(load.unfinished, 4s);
  EXPECT_EQ(load.longest, 3s);
  EXPECT_EQ(load.adds, 5U) << "what was there already is not added";
  EXPECT_EQ(load.retries, 2U);
  EXPECT_EQ(queue.done("a/1"), 3s);
  EXPECT_EQ(queue.load().longest, 1s);
}

}  // namespace
}  // namespace dcm::workqueue
