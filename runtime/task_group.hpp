// Structured concurrency: every task of the process belongs to a group that is cancelled and
// joined.
#pragma once

#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "runtime/task.hpp"

namespace dcm::runtime {

// Owns a set of running tasks.
//
// The first task that fails (throws anything but a cancellation) cancels its siblings, and join()
// rethrows its exception. Declare the group as the last data member of its owner, so that nothing
// its tasks use is destroyed before it. This file's .cpp is the only place that calls co_spawn.
class TaskGroup {
 public:
  explicit TaskGroup(Executor executor);
  // Requires that every task has ended: join() first.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Starts `task` soon; after cancel(), in a cancelled state. `name` is logged if a shutdown hangs.
  void spawn(std::string name, Task<> task);
  // Cancels every task; returns at once. Idempotent.
  void cancel();
  // Waits until every task has ended, then rethrows the first failure. If the caller is cancelled
  // meanwhile, the group is cancelled and still awaited; the caller's next `co_await` throws.
  Task<> join();

  bool is_cancelled() const noexcept { return cancelled_; }
  std::size_t running() const noexcept { return children_.size(); }
  std::vector<std::string> running_names() const;
  // How many tasks failed; only the first failure is rethrown.
  std::size_t failures() const noexcept { return failures_; }

 private:
  struct Child;
  struct Joiner;
  void finish(std::list<Child>::iterator child, std::exception_ptr failure);

  Executor executor_;
  std::list<Child> children_;
  std::unique_ptr<Joiner> joiner_;
  std::exception_ptr first_failure_;
  std::size_t failures_ = 0;
  bool cancelled_ = false;
};

}  // namespace dcm::runtime
