// Several tasks at a time, from the first to the last: the call that a coroutine needs instead of a
// TaskGroup, which ends the program if an exception or an early co_return skips its join().
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/task.hpp"

namespace dcm::runtime {

// Runs the tasks concurrently, all of them at once, and returns when every one has ended. If one
// throws, the others are cancelled and awaited, and its exception is rethrown. If the caller is
// cancelled, so are they, and this throws.
Task<> run_all(Executor executor, std::vector<Task<>> tasks);

// The slot must outlive the task.
template <class T>
Task<> keep_in(std::optional<T>& slot, Task<T> task) {
  T value = co_await std::move(task);
  slot.emplace(std::move(value));
}

// The same for tasks with a result: returns the results in the order of the tasks.
template <class T>
  requires(!std::is_void_v<T>)
Task<std::vector<T>> run_all(Executor executor, std::vector<Task<T>> tasks) {
  std::vector<std::optional<T>> slots(tasks.size());
  std::vector<Task<>> kept;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    kept.push_back(keep_in(slots[i], std::move(tasks[i])));
  }
  co_await run_all(std::move(executor), std::move(kept));
  std::vector<T> results;
  for (std::optional<T>& slot : slots) results.push_back(*std::move(slot));
  co_return results;
}

// Runs `loop`, real or virtual, until the task has ended, and returns its value.
template <class AnyLoop, class T>
  requires(!std::is_void_v<T>)
T run_on(AnyLoop& loop, Task<T> task) {
  std::optional<T> slot;
  loop.run(keep_in(slot, std::move(task)));
  return *std::move(slot);
}

}  // namespace dcm::runtime
