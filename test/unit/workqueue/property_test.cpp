// Random calls, many seeds: the queue and the naive model agree on each item's state after each
// call, and the model accepts each hand-out.
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/rng.hpp"
#include "test/unit/workqueue/fixture.hpp"
#include "test/unit/workqueue/model.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;

class Driver {
 public:
  explicit Driver(std::uint64_t seed)
      : rng_(seed), workers_(1 + rng_.below(20)), queue_(workers_), model_(workers_) {
    for (const char* namespace_ : {"a", "b", "c", "d"}) {
      for (int i = 0; i < 8; ++i) {
        items_.emplace_back(std::string(namespace_) + "/" + std::to_string(i));
      }
    }
  }

  void run(int calls) {
    for (int call = 0; call < calls && !testing::Test::HasFailure(); ++call) {
      one_call();
      compare();
    }
  }

  // Finishes everything; returns with an empty queue, or a failure.
  void drain() {
    while (!testing::Test::HasFailure() &&
           (model_.depth() > 0 || model_.next_due() || !model_.processing().empty())) {
      if (const auto due = model_.next_due(); due && model_.depth() == 0) pass(*due - queue_.now());
      take();
      finish_one();
      compare();
    }
    for (const TestItem& item : items_) queue_.forget(item);
    EXPECT_EQ(queue_.queue.known(), 0U);
  }

  int picks() const { return picks_; }

 private:
  void one_call() {
    const TestItem& item = items_[rng_.below(items_.size())];
    switch (rng_.below(24)) {
      case 0:
        return pass(std::chrono::milliseconds(rng_.below(20'000)));
      case 1:
        return pass(std::chrono::milliseconds(rng_.below(20)));
      case 2:
        return queue_.forget(item);
      case 3:
        return add_after(item);
      case 4:
        return add_rate_limited(item);
      case 5:
      case 6:
      case 7:
        return add(item, Priority::live);
      case 8:
      case 9:
      case 10:
      case 11:
      case 12:
      case 13:
      case 14:
        return add(item, Priority::backlog);
      case 15:
      case 16:
      case 17:
      case 18:
      case 19:
        return take();
      default:
        return finish_one();
    }
  }

  void add(const TestItem& item, Priority priority) {
    queue_.add(item, priority);
    model_.add(item.str(), priority, queue_.now());
  }

  std::optional<Priority> some_priority() {
    const std::uint64_t choice = rng_.below(3);
    if (choice == 2) return std::nullopt;
    return choice == 0 ? Priority::live : Priority::backlog;
  }

  void add_after(const TestItem& item) {
    const Duration delay = std::chrono::seconds(rng_.below(20));
    const std::optional<Priority> priority = some_priority();
    queue_.add_after(item, delay, priority);
    model_.add_after(item.str(), delay, priority, DelayKind::requeue, queue_.now());
  }

  void add_rate_limited(const TestItem& item) {
    const std::optional<Priority> priority = some_priority();
    const std::uint32_t failures = queue_.queue.failures(item);
    const Duration delay = queue_.add_rate_limited(item, priority);
    const bool is_early = queue_.queue.failures(item) == failures;
    EXPECT_TRUE(is_early || delay >= kItemBackoff.after_failures(failures));
    model_.add_after(item.str(), delay, priority, DelayKind::retry, queue_.now());
  }

  void pass(Duration time) {
    queue_.pass(time);
    model_.advance(queue_.now());
  }

  void take() {
    if (model_.processing().size() >= workers_) return;
    const std::string item = queue_.take();
    EXPECT_EQ(model_.take(item, queue_.now()), "") << "taken: " << item;
    ++picks_;
  }

  void finish_one() {
    const auto& processing = model_.processing();
    if (processing.empty()) return;
    const std::string item =
        std::next(processing.begin(), static_cast<std::ptrdiff_t>(rng_.below(processing.size())))
            ->first;
    queue_.done(TestItem(item));
    model_.done(item, queue_.now());
  }

  void compare() {
    for (const TestItem& item : items_) {
      EXPECT_EQ(queue_.state(item), model_.state(item.str())) << item;
    }
    EXPECT_EQ(queue_.waiting(), model_.waiting());
    EXPECT_EQ(queue_.load().depth, model_.depth());
    EXPECT_EQ(queue_.queue.scheduler().next_due(), model_.next_due());
  }

  runtime::Rng rng_;
  std::size_t workers_;
  TestQueue queue_;
  Model model_;
  std::vector<TestItem> items_;
  int picks_ = 0;
};

TEST(Properties, hold_for_random_calls) {
  int picks = 0;
  for (std::uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Driver driver(seed);
    driver.run(1500);
    driver.drain();
    picks += driver.picks();
  }
  EXPECT_GT(picks, 5000) << "the calls must reach the rules of picking";
}

}  // namespace
}  // namespace dcm::workqueue
