// When the process ends, and with which exit status.
//
// Either a signal requests it, or a part of the process fails with an uncaught exception, which
// means a broken invariant. Both lead to the same orderly stop.
#pragma once

#include <string>

#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/task.hpp"

namespace dcm::manager {

// docs/operate.md lists them for operators.
enum class ExitStatus : int {
  asked_to_stop = 0,
  lease_lost = 1,
  unusable = 1,           // of programs without a lease: what they need is missing or broken
  bad_configuration = 2,  // invalid flags, files, credentials, certificates or ports: no start
  failed = 3
};

class Stop {
 public:
  // `time` must outlive it.
  Stop(runtime::TimeSource& time, runtime::Logger log);

  // Idempotent. The first status other than asked_to_stop is kept.
  void request(ExitStatus status = ExitStatus::asked_to_stop);
  bool is_requested() const { return is_requested_; }
  // Ends when the stop is requested, or at the deadline.
  runtime::Task<> wait(runtime::Deadline deadline = {});

  // Runs a part of the process, which may be cancelled at any time. If it fails, logs that and
  // requests the stop: the others must not continue without it. `this` must outlive the task.
  runtime::Task<> guard(std::string part, runtime::Task<> task);

  // asked_to_stop as long as no part has failed.
  ExitStatus exit_status() const { return exit_status_; }
  // The first part that failed, and why; empty if none has.
  const std::string& failure() const { return failure_; }

 private:
  runtime::Logger log_;
  bool is_requested_ = false;
  ExitStatus exit_status_ = ExitStatus::asked_to_stop;
  std::string failure_;
  runtime::Condition requested_;
};

}  // namespace dcm::manager
