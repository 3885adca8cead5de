// Each state of an item, and each call's effect on it: the table of scheduler.hpp.
#include <functional>

#include <gtest/gtest.h>

#include "test/unit/workqueue/fixture.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;
using enum ItemState;

constexpr const char* kItem = "lab/pod";

// Brings the item from idle to a state.
void bring_to(TestQueue& queue, ItemState state) {
  switch (state) {
    case idle:
      return;
    case delayed:
      return queue.add_after(kItem, 10s);
    case waiting:
      return queue.add(kItem);
    case processing:
      queue.add(kItem);
      queue.take();
      return;
    case processing_dirty:
      bring_to(queue, processing);
      return queue.add(kItem);
  }
}

struct Row {
  const char* sentence;
  ItemState from;
  std::function<void(TestQueue&)> call;
  ItemState to;
  ItemState after_10_s;  // the result, if no other call is made
  std::size_t waiting;   // after the call
};

const auto add = [](TestQueue& queue) { queue.add(kItem); };
const auto add_after_10_s = [](TestQueue& queue) { queue.add_after(kItem, 10s); };
const auto add_after_0 = [](TestQueue& queue) { queue.add_after(kItem, 0s); };
const auto add_rate_limited = [](TestQueue& queue) { queue.add_rate_limited(kItem); };
const auto forget = [](TestQueue& queue) { queue.forget(kItem); };
const auto take = [](TestQueue& queue) { queue.take(); };
const auto done = [](TestQueue& queue) { queue.done(kItem); };
const auto let_10_s_pass = [](TestQueue& queue) { queue.pass(10s); };

const Row kRows[] = {
    {"an idle item that is added waits", idle, add, waiting, waiting, 1},
    {"an idle item that is added for later is delayed", idle, add_after_10_s, delayed, waiting, 0},
    {"a delay of 0 is an add", idle, add_after_0, waiting, waiting, 1},
    {"an idle item that is retried is delayed", idle, add_rate_limited, delayed, waiting, 0},
    {"forgetting an idle item is harmless", idle, forget, idle, idle, 0},
    {"there is nothing to take of an idle item", idle, take, idle, idle, 0},
    {"time does nothing to an idle item", idle, let_10_s_pass, idle, idle, 0},

    {"a delayed item that is added waits", delayed, add, waiting, waiting, 1},
    {"a delayed item that is delayed again stays so", delayed, add_after_10_s, delayed, waiting, 0},
    {"a delayed item that is added after 0 waits", delayed, add_after_0, waiting, waiting, 1},
    {"a delayed item that is retried stays delayed", delayed, add_rate_limited, delayed, waiting,
     0},
    {"forgetting does not touch a delay", delayed, forget, delayed, waiting, 0},
    {"a delayed item is not handed out", delayed, take, delayed, waiting, 0},
    {"a delayed item waits when its time has come", delayed, let_10_s_pass, waiting, waiting, 1},

    {"a waiting item that is added waits once", waiting, add, waiting, waiting, 1},
    {"a waiting item that is added for later still waits", waiting, add_after_10_s, waiting,
     waiting, 1},
    {"a waiting item that is added after 0 waits once", waiting, add_after_0, waiting, waiting, 1},
    {"a waiting item that is retried still waits", waiting, add_rate_limited, waiting, waiting, 1},
    {"forgetting does not take a waiting item out", waiting, forget, waiting, waiting, 1},
    {"a waiting item is handed out", waiting, take, processing, processing, 0},
    {"a waiting item goes on waiting", waiting, let_10_s_pass, waiting, waiting, 1},

    {"an item that is added while worked on is dirty", processing, add, processing_dirty,
     processing_dirty, 0},
    {"an item that is added for later while worked on is dirty then", processing, add_after_10_s,
     processing, processing_dirty, 0},
    {"an item that is added after 0 while worked on is dirty", processing, add_after_0,
     processing_dirty, processing_dirty, 0},
    {"an item that is retried while worked on is dirty later", processing, add_rate_limited,
     processing, processing_dirty, 0},
    {"forgetting an item that is worked on is harmless", processing, forget, processing, processing,
     0},
    {"an item that is worked on is not handed out again", processing, take, processing, processing,
     0},
    {"an item that is done is idle", processing, done, idle, idle, 0},
    {"an item stays with its worker however long", processing, let_10_s_pass, processing,
     processing, 0},

    {"a dirty item that is added is dirty once", processing_dirty, add, processing_dirty,
     processing_dirty, 0},
    {"a dirty item that is added for later stays dirty", processing_dirty, add_after_10_s,
     processing_dirty, processing_dirty, 0},
    {"a dirty item that is added after 0 is dirty once", processing_dirty, add_after_0,
     processing_dirty, processing_dirty, 0},
    {"a dirty item that is retried stays dirty", processing_dirty, add_rate_limited,
     processing_dirty, processing_dirty, 0},
    {"forgetting a dirty item leaves it dirty", processing_dirty, forget, processing_dirty,
     processing_dirty, 0},
    {"a dirty item is not handed out", processing_dirty, take, processing_dirty, processing_dirty,
     0},
    {"a dirty item that is done waits again", processing_dirty, done, waiting, waiting, 1},
    {"a dirty item stays with its worker", processing_dirty, let_10_s_pass, processing_dirty,
     processing_dirty, 0},
};

TEST(States, follow_table_for_each_call) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.sentence);
    TestQueue queue;
    bring_to(queue, row.from);
    ASSERT_EQ(queue.state(kItem), row.from);
    row.call(queue);
    EXPECT_EQ(queue.state(kItem), row.to);
    EXPECT_EQ(queue.waiting(), row.waiting);
    queue.pass(10s);
    EXPECT_EQ(queue.state(kItem), row.after_10_s);
  }
}

TEST(States, assert_that_done_item_has_worker) {
  for (const ItemState state : {idle, delayed, waiting}) {
    TestQueue queue;
    bring_to(queue, state);
    EXPECT_THROW(queue.done(kItem), runtime::InvariantViolation);
  }
}

TEST(States, keep_delay_set_during_work) {
  TestQueue queue;
  bring_to(queue, processing);
  queue.add_after(kItem, 10s);
  queue.done(kItem);
  EXPECT_EQ(queue.state(kItem), delayed);
  queue.pass(10s);
  EXPECT_EQ(queue.handle(), kItem);
}

TEST(ShutDown, drains_waiting_and_dirty_items_and_accepts_nothing) {
  TestQueue queue;
  queue.add("lab/working");
  queue.take();
  queue.add("lab/working");
  queue.add("lab/waiting");
  queue.add_after("lab/delayed", 1s);
  queue.queue.shut_down(ShutDown::drain);
  queue.add("lab/late");
  queue.add_after("lab/late", 0s);
  queue.add_rate_limited("lab/late");
  queue.pass(1h);
  EXPECT_EQ(queue.handle(2), "lab/waiting ");
  queue.done("lab/working");
  EXPECT_EQ(queue.handle(2), "lab/working ");
  EXPECT_EQ(queue.state("lab/late"), idle);
}

TEST(ShutDown, drops_everything) {
  TestQueue queue;
  queue.add("lab/working");
  queue.take();
  queue.add("lab/working");
  queue.add("lab/waiting");
  queue.queue.shut_down(ShutDown::drain);
  queue.queue.shut_down(ShutDown::drop_waiting);
  queue.queue.shut_down(ShutDown::drain);
  EXPECT_EQ(queue.waiting(), 0U);
  queue.done("lab/working");
  EXPECT_EQ(queue.take(), "");
}

}  // namespace
}  // namespace dcm::workqueue
