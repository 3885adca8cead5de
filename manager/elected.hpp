// Whether this process may work yet: whether it has been elected, or needs no election.
#pragma once

#include "runtime/condition.hpp"
#include "runtime/deadline.hpp"
#include "runtime/task.hpp"

namespace dcm::manager {

// The elector tries to acquire the lease only once an epoch is ready to work and waits to be
// elected: a process that cannot work must not block others. It is set once and never reset,
// because a process that loses the lease ends.
class Elected {
 public:
  // `time` must outlive it.
  explicit Elected(runtime::TimeSource& time) : changed_(time) {}

  bool is_wanted() const { return is_wanted_; }
  bool is_set() const { return is_set_; }
  void set() {
    is_set_ = true;
    changed_.notify_all();
  }
  runtime::Task<> wait() {
    is_wanted_ = true;
    changed_.notify_all();
    while (!is_set_) co_await changed_.wait();
  }
  // Waits until an epoch waits for the election, at most until the deadline.
  runtime::Task<> wait_until_wanted(runtime::Deadline deadline) {
    using Wakeup = runtime::Condition::Wakeup;
    Wakeup last = Wakeup::notified;
    while (!is_wanted_ && last != Wakeup::timed_out) last = co_await changed_.wait(deadline);
  }

 private:
  bool is_wanted_ = false;
  bool is_set_ = false;
  runtime::Condition changed_;
};

}  // namespace dcm::manager
