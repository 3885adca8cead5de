// Which item is next: priorities, ageing, turns of the namespaces, and their share of the workers.
#include <gtest/gtest.h>

#include "test/unit/workqueue/fixture.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;

void add_many(TestQueue& queue, const std::string& prefix, int count, Priority priority) {
  for (int i = 1; i <= count; ++i) queue.add(TestItem(prefix + std::to_string(i)), priority);
}

TEST(Priorities, one_pick_in_8_goes_to_the_backlog_while_live_work_waits) {
  TestQueue queue;
  add_many(queue, "a/old", 3, Priority::backlog);
  add_many(queue, "a/new", 20, Priority::live);
  EXPECT_EQ(queue.handle(8), "a/new1 a/new2 a/new3 a/new4 a/new5 a/new6 a/new7 a/old1");
  EXPECT_EQ(queue.handle(8), "a/new8 a/new9 a/new10 a/new11 a/new12 a/new13 a/new14 a/old2");
}

TEST(Priorities, the_backlog_gets_all_picks_while_no_live_work_waits) {
  TestQueue queue;
  add_many(queue, "a/old", 4, Priority::backlog);
  EXPECT_EQ(queue.handle(2), "a/old1 a/old2");
  queue.add("a/new");
  EXPECT_EQ(queue.handle(3), "a/new a/old3 a/old4");
}

TEST(Priorities, an_item_of_the_backlog_that_is_added_as_live_moves_up) {
  TestQueue queue;
  add_many(queue, "a/old", 3, Priority::backlog);
  queue.add("a/old3", Priority::live);
  EXPECT_EQ(queue.handle(3), "a/old3 a/old1 a/old2");
}

TEST(Priorities, a_live_item_that_is_added_as_backlog_keeps_its_place) {
  TestQueue queue;
  add_many(queue, "a/", 2, Priority::live);
  queue.add("a/1", Priority::backlog);
  EXPECT_EQ(queue.handle(2), "a/1 a/2");
}

TEST(Priorities, a_dirty_item_waits_at_the_most_urgent_priority_it_was_added_with) {
  TestQueue queue;
  queue.add("a/dirty", Priority::backlog);
  queue.take();
  queue.add("a/dirty", Priority::live);
  queue.add("a/dirty", Priority::backlog);
  queue.add("a/old", Priority::backlog);
  queue.done("a/dirty");
  EXPECT_EQ(queue.handle(2), "a/dirty a/old");
}

TEST(Priorities, a_retry_keeps_the_priority_of_the_work_unless_told_otherwise) {
  struct {
    const char* sentence;
    Priority added;
    std::optional<Priority> told;
    const char* order;
  } const rows[] = {
      {"backlog stays backlog", Priority::backlog, {}, "a/live a/retried"},
      {"live stays live", Priority::live, {}, "a/retried a/live"},
      {"backlog told live", Priority::backlog, Priority::live, "a/retried a/live"},
      {"live told backlog", Priority::live, Priority::backlog, "a/live a/retried"},
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

TEST(Priorities, a_retry_of_an_item_that_waits_or_is_delayed_keeps_its_priority) {
  TestQueue queue;
  queue.add_after("a/delayed", 1s, Priority::backlog);
  queue.add("a/waiting", Priority::backlog);
  queue.add_rate_limited("a/delayed");
  queue.add_rate_limited("a/waiting");
  queue.pass(1s);
  queue.add("a/live");
  EXPECT_EQ(queue.handle(3), "a/live a/waiting a/delayed");
}

TEST(Ageing, an_item_that_waits_longer_than_60_s_is_live) {
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

TEST(Ageing, does_not_make_the_retry_live) {
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

TEST(Turns, namespaces_take_turns_in_each_priority) {
  TestQueue queue;
  add_many(queue, "a/", 3, Priority::live);
  add_many(queue, "b/", 1, Priority::live);
  add_many(queue, "c/", 2, Priority::live);
  EXPECT_EQ(queue.handle(6), "a/1 b/1 c/1 a/2 c/2 a/3");
  add_many(queue, "a/", 2, Priority::backlog);
  add_many(queue, "b/", 2, Priority::backlog);
  EXPECT_EQ(queue.handle(4), "a/1 b/1 a/2 b/2");
}

TEST(Share, a_namespace_gets_at_most_half_of_the_workers_while_another_waits) {
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

TEST(Share, a_namespace_gets_all_workers_while_no_other_waits) {
  TestQueue queue(4);
  add_many(queue, "slow/", 10, Priority::live);
  for (const char* item : {"slow/1", "slow/2", "slow/3", "slow/4"}) EXPECT_EQ(queue.take(), item);
  add_many(queue, "b/", 2, Priority::live);
  queue.done("slow/1");
  EXPECT_EQ(queue.handle(3), "b/1 b/2 slow/5") << "the next that becomes free goes to the others";
}

TEST(Share, is_of_both_priorities_together) {
  TestQueue queue(4);
  add_many(queue, "slow/", 10, Priority::live);
  EXPECT_EQ(queue.take() + queue.take(), "slow/1slow/2");
  add_many(queue, "b/", 2, Priority::backlog);
  EXPECT_EQ(queue.handle(3), "b/1 b/2 slow/3") << "live work of slow lets the others' backlog pass";
}

TEST(Share, half_of_an_odd_number_is_rounded_up_so_that_no_worker_idles) {
  TestQueue queue(3);
  add_many(queue, "a/", 5, Priority::live);
  add_many(queue, "b/", 5, Priority::live);
  EXPECT_EQ(queue.take() + queue.take() + queue.take(), "a/1b/1a/2");
}

TEST(Share, one_worker_serves_all) {
  TestQueue queue(1);
  add_many(queue, "a/", 2, Priority::live);
  add_many(queue, "b/", 2, Priority::live);
  EXPECT_EQ(queue.handle(4), "a/1 b/1 a/2 b/2");
}

TEST(Numbers, show_what_waits_and_what_runs) {
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
