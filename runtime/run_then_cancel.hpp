// Ends a group of tasks with its main task.
#pragma once

#include <utility>

#include "runtime/task_group.hpp"

namespace dcm::runtime {

// Runs `work`, and cancels the group's other tasks when it is done.
inline Task<> run_then_cancel(Task<> work, TaskGroup& group) {
  co_await std::move(work);
  group.cancel();
}

}  // namespace dcm::runtime
