// How a task learns that it should end.
//
// Cancelling (TaskGroup::cancel) makes the task's current or next `co_await` throw. That exception
// is caught in TaskGroup, and by nobody else; a `catch (...)` on the way must rethrow.
#pragma once

#include <exception>

#include "runtime/task.hpp"

namespace dcm::runtime {

// Whether `failure` is a cancellation.
bool is_cancellation(const std::exception_ptr& failure) noexcept;

// From here on, cancelling the running task has no effect: for work that must be done while
// stopping (releasing a lease). Give that work a short deadline of its own.
Task<> disable_cancellation();

}  // namespace dcm::runtime
