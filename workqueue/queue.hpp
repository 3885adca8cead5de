// The work queue: event handlers add keys, workers get them.
//
//   struct NamespaceOf { InternedString operator()(const PodKey& key) const { … } };
//   Queue<PodKey, NamespaceOf> queue(time, metrics, Options("pod_labels", 50));
//   queue.add(key, Priority::live);
//
// It maps items to entries of the Scheduler, wakes the tasks that wait in get(), and
// feeds the metrics. scheduler.hpp has a table of the calls' effects on an item; use workers.hpp
// rather than get() and done() directly.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "runtime/condition.hpp"
#include "runtime/metrics.hpp"
#include "runtime/sharded_map.hpp"
#include "runtime/time.hpp"
#include "workqueue/item_report.hpp"
#include "workqueue/metrics.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::workqueue {

struct Options {
  // `name` labels the metrics; `workers` is how many items may be processed concurrently (at least
  // 1): a namespace gets half of them while others wait, and some stay idle for the next namespace.
  Options(std::string queue_name, std::size_t worker_count, const Backoff& of_items = kItemBackoff)
      : name(std::move(queue_name)), workers(worker_count), backoff(of_items) {}

  std::string name;
  std::size_t workers;
  Backoff backoff;
};

// When an added item may be handed out (without a delay: at once), and with which priority.
struct AddOptions {
  // The item is not ready before this has passed. Of this and a pending delay, the earlier applies.
  std::optional<Duration> after = {};
  // If true, the item's back-off and its namespace's limit of retries must allow it as well.
  bool rate_limited = false;
  // nullopt: the priority of the work in progress on the item; live if there is none.
  std::optional<Priority> priority = {};
};

// `Item` is a small value with ==; `NamespaceOf` and `Hash` are stateless functions of it.
// `NamespaceOf` gives an item's namespace as an InternedString. A copy of the item is kept while it
// is in the queue or its failures are remembered: about 130 bytes for a waiting item of 16.
//
// Must outlive the tasks that use it, and be outlived by the time source and the registry.
template <class Item, class NamespaceOf, class Hash = std::hash<Item>>
class Queue {
 public:
  using ItemType = Item;

  Queue(runtime::TimeSource& time, runtime::MetricsRegistry& metrics, const Options& options)
      : time_(time),
        scheduler_(options.workers, options.backoff),
        available_(time),
        metrics_(metrics, options.name, [this] { return load(); }) {}
  ~Queue() {
    if (timer_) time_.cancel(*timer_);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Returns the delay.
  Duration add(const Item& item, const AddOptions& how) {
    if (!scheduler_.is_open()) return Duration::zero();
    const MonoTime now = time_.now();
    const Duration delay = add(slot_of(item, now), how, now);
    wake();
    return delay;
  }
  void add(const Item& item, Priority priority) { add(item, AddOptions{.priority = priority}); }

  // The item succeeded: resets its back-off.
  void forget(const Item& item) {
    on_known(item, [this](Slot& slot, MonoTime) { scheduler_.forget(slot); });
  }

  // Makes all items that wait for a retry ready, in slices: the cause of failures may have ended.
  void retry_now() {
    scheduler_.retry_now(time_.now());
    advance();
  }
  // The same for one item, if it waits for a retry; resets its back-off in any case.
  void retry_now(const Item& item) {
    on_known(item, [this](Slot& slot, MonoTime now) { scheduler_.retry_now(slot, now); });
    advance();
  }

  // Ask this before an add() for an event that concerns many items. False: the item waits for a
  // retry, and its namespace has had enough early attempts.
  bool may_go_early(const Item& item) {
    Slot* const slot = slots_.find(item);
    return slot == nullptr || scheduler_.may_go_early(*slot, time_.now());
  }

  // The next item to process; done() must follow. Waits for one; nullopt when the queue is shut
  // down and none waits. (An item in progress may still wait again then; its worker gets it.)
  runtime::Task<std::optional<Item>> get() {
    while (true) {
      if (std::optional<Item> item = take()) co_return item;
      if (!scheduler_.is_open()) co_return std::nullopt;
      co_await available_.wait();
    }
  }
  // The same without waiting; nullopt: none waits, or scheduler.hpp's rules hold back all.
  std::optional<Item> take() {
    const MonoTime now = time_.now();
    const Entry* const entry = scheduler_.take(now);
    wake();
    if (entry == nullptr) return std::nullopt;
    metrics_.observe_wait(now - entry->added);
    return *static_cast<const Slot*>(entry)->item;
  }

  // Returns how long the item was worked on. Requires that a worker has it; that worker then calls
  // get() again.
  Duration done(const Item& item) {
    Slot* const slot = slots_.find(item);
    DCM_ASSERT(slot != nullptr);
    const std::size_t before = len();
    const MonoTime now = time_.now();
    const Duration worked = scheduler_.done(*slot, now);
    metrics_.observe_work(worked);
    drop_if_forgettable(*slot, now);
    if (len() > before) wake();
    return worked;
  }

  // The priority with which an item was handed out, for the requests of its work. Requires that a
  // worker has it.
  Priority running_priority(const Item& item) const {
    const Slot* const slot = slots_.find(item);
    DCM_ASSERT(slot != nullptr && slot->place == Place::processing);
    return slot->taken_as;
  }

  // From now on nothing is accepted and delays never end. Idempotent; a drain may be cut short by a
  // later drop_waiting.
  void shut_down(ShutDown how) {
    scheduler_.shut_down(how);
    available_.notify_all();
  }

  // The number of items ready to be handed out.
  std::size_t len() const noexcept { return scheduler_.waiting(); }
  // Items with any state: ready, delayed, in progress, or with failures.
  std::size_t known() const noexcept { return slots_.size(); }
  // Retries of this item with back-off since the last forget().
  std::uint32_t failures(const Item& item) const { return report(item).failures; }
  ItemState state(const Item& item) const {
    const Slot* const slot = slots_.find(item);
    return slot == nullptr ? ItemState::idle : Scheduler::state(*slot);
  }
  ItemReport report(const Item& item) const {
    const Slot* const slot = slots_.find(item);
    return slot == nullptr ? ItemReport{} : Scheduler::report(*slot);
  }
  Load load() const { return scheduler_.load(time_.now()); }
  const Scheduler& scheduler() const noexcept { return scheduler_; }

 private:
  struct Slot : Entry {
    const Item* item = nullptr;
  };

  Duration add(Slot& slot, const AddOptions& how, MonoTime now) {
    const Duration after = how.after.value_or(Duration::zero());
    if (how.rate_limited) return scheduler_.add_rate_limited(slot, how.priority, now, after);
    if (how.after) {
      scheduler_.add_after(slot, after, how.priority, now);
    } else {
      scheduler_.add(slot, how.priority.value_or(Priority::live), now);
    }
    return after;
  }

  Slot& slot_of(const Item& item, MonoTime now) {
    const auto [entry, is_new] = slots_.try_emplace(item);
    auto& [key, slot] = *entry;
    if (is_new) {
      slot.item = &key;
      scheduler_.attach(slot, NamespaceOf{}(item), now);
    }
    return slot;
  }

  template <class Change>
  void on_known(const Item& item, Change change_slot) {
    Slot* const slot = slots_.find(item);
    if (slot == nullptr) return;
    const MonoTime now = time_.now();
    change_slot(*slot, now);
    drop_if_forgettable(*slot, now);
  }

  void drop_if_forgettable(Slot& slot, MonoTime now) {
    if (!Scheduler::is_forgettable(slot)) return;
    scheduler_.detach(slot, now);
    slots_.erase(*slot.item);
  }

  void advance() {
    scheduler_.advance(time_.now());
    wake();
  }

  // After each change: wakes a waiter, which wakes the next one when it has taken an item. A waiter
  // whose item was taken by another waits again. Sets a timer for what becomes ready by itself.
  void wake() {
    if (scheduler_.can_take()) available_.notify_one();
    arm();
  }

  // A timer that is too early (its delay was dropped) is harmless.
  void arm() {
    const auto due = scheduler_.next_due();
    if (!due || (timer_ && timer_->first <= *due)) return;
    if (timer_) time_.cancel(*timer_);
    timer_ = time_.schedule(std::max(*due, time_.now()), [this] {
      timer_.reset();
      advance();
    });
  }

  runtime::TimeSource& time_;
  Scheduler scheduler_;
  runtime::ShardedMap<Item, Slot, Hash> slots_;
  runtime::Condition available_;
  std::optional<runtime::TimerId> timer_;
  QueueMetrics metrics_;  // reads scheduler_, so it goes first
};

}  // namespace dcm::workqueue
