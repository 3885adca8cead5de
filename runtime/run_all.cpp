#include "runtime/run_all.hpp"

#include "runtime/task_group.hpp"

namespace dcm::runtime {

Task<> run_all(Executor executor, std::vector<Task<>> tasks) {
  TaskGroup group(std::move(executor));
  for (Task<>& task : tasks) group.spawn("one of several", std::move(task));
  co_await group.join();
  // Tasks that were cancelled have no results: throws.
  if (group.is_cancelled()) co_await yield();
}

}  // namespace dcm::runtime
