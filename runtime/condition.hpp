// Lets a task wait for another one on the loop. Every wait is built on a Condition: sleeping is a
// wait without notification, a queue's `get` is a wait for an add. As all tasks share one thread,
// the usual loop `while (!ready) co_await wait()` loses no wake-up.
#pragma once

#include <list>

#include "runtime/deadline.hpp"
#include "runtime/task.hpp"

namespace dcm::runtime {

class Condition {
 public:
  enum class Wakeup { notified, timed_out };

  // `time` must outlive the condition.
  explicit Condition(TimeSource& time);
  // Requires that no task waits.
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  // Waits for the next notification, or for the deadline. Throws on cancellation.
  Task<Wakeup> wait(Deadline deadline = {});

  // Wakes the task that has waited longest, or all tasks. Does nothing if no task waits.
  void notify_one();
  void notify_all();

  std::size_t waiting() const noexcept;

 private:
  struct Waiter;
  using Waiters = std::list<Waiter>;

  void wake(Waiters::iterator waiter, Wakeup outcome);
  void abort(Waiters::iterator waiter);

  TimeSource& time_;
  Waiters waiters_;
};

}  // namespace dcm::runtime
