// N workers on one queue: the loop of every controller, written once.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

#include "runtime/failure.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/task_group.hpp"
#include "workqueue/outcome.hpp"

namespace dcm::workqueue {

// Handles exceptions that escape a handler. Most are bugs in the handling of one item: logged,
// counted and retried, so that the other items are still handled. Cancellation, out of memory and
// broken invariants are rethrown: they concern more than one item.
class HandlerFailures {
 public:
  HandlerFailures(runtime::MetricsRegistry& metrics, const std::string& queue_name,
                  runtime::Logger log);

  void report(const std::exception_ptr& failure, const std::string& item);
  // The same for a function of an object that decides which items there are.
  void report_function(const std::exception_ptr& failure, const std::string& object);

 private:
  runtime::Counter& count_;
  runtime::Logger log_;
};

// Reports an item's outcome to the queue.
template <class Queue>
void settle(Queue& queue, const typename Queue::ItemType& item, const Outcome& outcome) {
  using Kind = Outcome::Kind;
  const Kind kind = outcome.kind();
  if (kind == Kind::done || kind == Kind::requeue_after) queue.forget(item);
  if (kind == Kind::retry) queue.add(item, {.after = outcome.delay(), .rate_limited = true});
  if (kind == Kind::requeue_after) queue.add(item, {.after = outcome.delay()});
  queue.done(item);
}

// Handles items one by one until the queue is shut down and empty.
//
// Everything must outlive the task. `Handler` is called as `Task<Outcome>(const Item&)`, whose item
// lives until that task ends, `Describe` as `std::string(const Item&)`, for the log.
template <class Queue, class Handler, class Describe>
runtime::Task<> work(Queue& queue, Handler& handler, Describe& describe,
                     HandlerFailures& failures) {
  while (true) {
    const std::optional<typename Queue::ItemType> item = co_await queue.get();
    if (!item) co_return;
    Outcome outcome = Outcome::retry();
    std::exception_ptr failure;
    try {
      const Outcome wanted = co_await handler(*item);
      outcome = wanted;
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure && !runtime::is_isolated(failure)) {
      // The item's processing was cut off: another worker may take it.
      queue.add(*item, {.after = runtime::Duration::zero()});
      queue.done(*item);
      std::rethrow_exception(failure);
    }
    if (failure) failures.report(failure, describe(*item));
    settle(queue, *item, outcome);
    // With a handler that never waits, a full queue would block the loop until it is empty.
    co_await runtime::yield();
  }
}

// Runs `count` workers; ends when all have ended: after queue.shut_down(), or when cancelled.
// `queue` and `failures` must outlive the task.
template <class Queue, class Handler, class Describe>
runtime::Task<> run_workers(runtime::Executor executor, std::size_t count, Queue& queue,
                            Handler handler, Describe describe, HandlerFailures& failures) {
  runtime::TaskGroup workers(executor);
  for (std::size_t number = 0; number < count; ++number) {
    workers.spawn("worker " + std::to_string(number), work(queue, handler, describe, failures));
  }
  co_await workers.join();
}

}  // namespace dcm::workqueue
