// Runs ready tasks in an order drawn from a seed: the executor of a simulation. Any ready task may
// run next, as could happen on a real loop: this exposes code that relies on an accidental order.
// One thread; a task that is started inline (Asio's dispatch) stays inline.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include "runtime/rng.hpp"

namespace dcm::runtime {

class ShuffledContext final : public boost::asio::execution_context {
 public:
  class Executor;

  explicit ShuffledContext(Rng order) : order_(order) {}
  // Destroys ready tasks without running them.
  ~ShuffledContext();

  Executor executor() noexcept;
  // Runs until nothing is ready.
  void run_ready();
  // Calls back between two tasks after this many more have run.
  void after_tasks(std::uint64_t count, std::function<void()> callback) {
    callbacks_.emplace(tasks_run_ + count, std::move(callback));
  }
  // Runs `callback` as if it were a ready task: what it dispatches runs at once.
  template <class F>
  auto run(F callback) {
    is_running_ = true;
    const auto result = callback();
    is_running_ = false;
    return result;
  }

 private:
  Rng order_;
  std::vector<std::move_only_function<void()>> ready_;
  bool is_running_ = false;
  std::uint64_t tasks_run_ = 0;
  std::multimap<std::uint64_t, std::function<void()>> callbacks_;  // in units of tasks_run_
};

// An executor as Asio requires it: https://think-async.com/Asio, "Standard executors".
class ShuffledContext::Executor {
 public:
  using Blocking = boost::asio::execution::blocking_t;

  explicit Executor(ShuffledContext& context) noexcept : context_(&context) {}

  template <class F>
  void execute(F&& task) const {
    if (may_run_inline_ && context_->is_running_) {
      std::decay_t<F>(std::forward<F>(task))();
    } else {
      context_->ready_.emplace_back(std::forward<F>(task));
    }
  }

  boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
    return *context_;
  }
  Blocking query(Blocking) const noexcept {
    if (may_run_inline_) return Blocking::possibly_t();
    return Blocking::never_t();
  }
  Executor require(Blocking::possibly_t) const noexcept { return Executor(*context_, true); }
  Executor require(Blocking::never_t) const noexcept { return Executor(*context_, false); }
  friend bool operator==(const Executor&, const Executor&) = default;

 private:
  Executor(ShuffledContext& context, bool may_run_inline) noexcept
      : context_(&context), may_run_inline_(may_run_inline) {}

  ShuffledContext* context_;
  bool may_run_inline_ = true;
};

inline ShuffledContext::Executor ShuffledContext::executor() noexcept {
  return Executor(*this);
}

}  // namespace dcm::runtime
