// Whether this process may work yet.
#pragma once

#include "runtime/condition.hpp"
#include "runtime/task.hpp"

namespace dcm::manager {

// Connects the session, which requests leadership once it is ready to work, with the elector, which
// only then tries to acquire it: a process that cannot work must not keep others from leading.
// Leadership begins once and is never revoked, as a process that loses it ends.
class Leadership {
 public:
  // `time` must outlive it.
  explicit Leadership(runtime::TimeSource& time) : changed_(time) {}

  bool is_wanted() const { return is_wanted_; }
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
