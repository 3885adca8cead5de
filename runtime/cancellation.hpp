// How a task is ended. Cancelling (TaskGroup::cancel) makes the task's current or next `co_await`
// throw. Only TaskGroup catches that exception; a `catch (...)` on the way must rethrow.
#pragma once

#include <exception>

namespace dcm::runtime {

// Whether `failure` is a cancellation.
bool is_cancellation(const std::exception_ptr& failure) noexcept;

}  // namespace dcm::runtime
