#include "manager/stop.hpp"

#include <exception>
#include <utility>

#include "runtime/cancellation.hpp"
#include "runtime/failure.hpp"

namespace dcm::manager {

using runtime::Task;

Stop::Stop(runtime::TimeSource& time, runtime::Logger log)
    : log_(std::move(log)), requested_(time) {}

void Stop::request(ExitStatus status) {
  if (exit_status_ == ExitStatus::asked_to_stop) exit_status_ = status;
  is_requested_ = true;
  requested_.notify_all();
}

Task<> Stop::wait(runtime::Deadline deadline) {
  if (!is_requested_) co_await requested_.wait(deadline);
}

Task<> Stop::guard(std::string part, Task<> task) {
  try {
    co_await std::move(task);
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    if (runtime::is_cancellation(failure)) throw;
    log_.error("A part of the program has failed; stopping",
               {{"part", part}, {"error", runtime::text_of(failure)}});
    if (failure_.empty()) failure_ = part + ": " + runtime::text_of(failure);
    request(ExitStatus::failed);
  }
}

}  // namespace dcm::manager
