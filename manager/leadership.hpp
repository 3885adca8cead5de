// Whether this process may work yet.
#pragma once

#include "runtime/condition.hpp"
#include "runtime/task.hpp"

namespace dcm::manager {

// Mediates between the epoch, which requests leadership once it is ready to work, and the elector,
// which then tries to acquire it: a process that cannot work must not block others. Leadership
// begins once and is never taken back, because a process that loses it ends.
class Leadership {
 public:
  // `time` must outlive it.
  explicit Leadership(runtime::TimeSource& time) : changed_(time) {}

  bool is_wanted() const { return is_wanted_; }
  bool has_begun() const { return has_begun_; }
  void begin() {
    has_begun_ = true;
    changed_.notify_all();
  }
  // Requests it, and waits until it begins.
  runtime::Task<> wait() {
    is_wanted_ = true;
    changed_.notify_all();
    while (!has_begun_) co_await changed_.wait();
  }
  // Waits until leadership is requested.
  runtime::Task<> wait_until_wanted() {
    while (!is_wanted_) co_await changed_.wait();
  }

 private:
  bool is_wanted_ = false;
  bool has_begun_ = false;
  runtime::Condition changed_;
};

}  // namespace dcm::manager
