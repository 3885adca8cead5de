// The work queue: event handlers add keys, workers get them.
//
//   struct NamespaceOf { InternedString operator()(const PodKey& key) const { … } };
//   Queue<PodKey, NamespaceOf> queue(time, metrics, Options("pod_labels", 50));
//   queue.add(key, Priority::live);
//
// A thin coroutine front of Core: it knows the clock, wakes the tasks that wait in get(), and feeds
// the metrics. scheduler.hpp has a table of the calls' effects on an item; use workers.hpp rather
// than get() and done() directly.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "runtime/condition.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"
#include "workqueue/core.hpp"
#include "workqueue/metrics.hpp"

namespace dcm::workqueue {

struct Options {
  // `name` labels the metrics; `workers` is how many items may be worked on at the same time (at
  // least 1): a namespace gets half of them while others wait.
  Options(std::string queue_name, std::size_t worker_count, Backoff of_items = {})
      : name(std::move(queue_name)), workers(worker_count), backoff(of_items) {}

  std::string name;
  std::size_t workers;
  Backoff backoff;
};

// `Item` is a small value with ==; `NamespaceOf` and `Hash` are stateless functions of it.
//
// Must outlive the tasks that use it, and be outlived by the time source and the registry.
template <class Item, class NamespaceOf, class Hash = std::hash<Item>>
class Queue {
 public:
  using ItemType = Item;

  Queue(runtime::TimeSource& time, runtime::MetricsRegistry& metrics, const Options& options)
      : time_(time),
        core_(options.workers, options.backoff),
        available_(time),
        metrics_(metrics, options.name, [this] { return core_.scheduler().load(time_.now()); }) {}
  ~Queue() {
    if (timer_) time_.cancel(*timer_);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void add(const Item& item, Priority priority) {
    const std::size_t before = len();
    core_.add(item, priority, time_.now());
    wake(before);
  }

  // Comes when `delay` has passed (the earlier one, if a delay is pending). Without a priority:
  // that of the work that runs on the item, or live.
  void add_after(const Item& item, Duration delay, std::optional<Priority> priority = {}) {
    const std::size_t before = len();
    core_.add_after(item, delay, priority, time_.now());
    wake(before);
  }

  // Comes after the item's backoff, or later if its namespace has had many retries, or `at_least`
  // is longer.
  Duration add_rate_limited(const Item& item, std::optional<Priority> priority = {},
                            Duration at_least = {}) {
    const std::size_t before = len();
    const Duration delay = core_.add_rate_limited(item, priority, time_.now(), at_least);
    wake(before);
    return delay;
  }

  // The item succeeded: its next backoff is the first one again.
  void forget(const Item& item) { core_.forget(item, time_.now()); }

  // Every item that waits for its next attempt comes now: what made them fail may have passed.
  void retry_now() {
    const std::size_t before = len();
    core_.retry_now(time_.now());
    core_.advance(time_.now());
    wake(before);
  }
  // The same for one item, if it waits; its next backoff is the first one again in any case.
  void retry_now(const Item& item) {
    const std::size_t before = len();
    core_.retry_now(item, time_.now());
    core_.advance(time_.now());
    wake(before);
  }

  // The next item to work on; done() must follow. Waits for one; nullopt when the queue is shut
  // down and none waits. (One that is worked on may still wait again then; its worker gets it.)
  runtime::Task<std::optional<Item>> get() {
    while (true) {
      if (auto taken = core_.take(time_.now())) {
        metrics_.observe_wait(taken->waited);
        co_return std::move(taken->item);
      }
      if (!core_.scheduler().is_open()) co_return std::nullopt;
      co_await available_.wait();
    }
  }

  void done(const Item& item) {
    const std::size_t before = len();
    metrics_.observe_work(core_.done(item, time_.now()));
    wake(before);
  }

  // With which priority an item was handed out, for the requests that its work sends. Requires that
  // a worker has it.
  Priority running_priority(const Item& item) const { return core_.running_priority(item); }

  // From now on nothing is accepted and delays never come. Idempotent; a drain may be cut short by
  // a later drop_waiting.
  void shut_down(ShutDown how) {
    core_.shut_down(how);
    available_.notify_all();
  }

  // Items that could be handed out now.
  std::size_t len() const noexcept { return core_.scheduler().waiting(); }
  // Retries with backoff of this item since the last forget().
  std::uint32_t failures(const Item& item) const { return core_.failures(item); }
  ItemState state(const Item& item) const { return core_.state(item); }
  ItemReport report(const Item& item) const { return core_.report(item); }
  Load load() const { return core_.scheduler().load(time_.now()); }

 private:
  // After each change: one waiter for each item that it made wait, and a timer for the earliest
  // delay. A waiter whose item was taken by another waits again.
  void wake(std::size_t waiting_before) {
    for (std::size_t items = waiting_before; items < len(); ++items) available_.notify_one();
    arm();
  }

  // A timer that is too early (its delay was dropped) does no harm.
  void arm() {
    const auto due = core_.scheduler().next_due();
    if (!due || (timer_ && timer_->first <= *due)) return;
    if (timer_) time_.cancel(*timer_);
    timer_ = time_.schedule(std::max(*due, time_.now()), [this] {
      timer_.reset();
      const std::size_t before = len();
      core_.advance(time_.now());
      wake(before);
    });
  }

  runtime::TimeSource& time_;
  Core<Item, NamespaceOf, Hash> core_;
  runtime::Condition available_;
  std::optional<runtime::TimerId> timer_;
  QueueMetrics metrics_;  // reads core_, so it goes first
};

}  // namespace dcm::workqueue
