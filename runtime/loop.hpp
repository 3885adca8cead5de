// The loop thread of the process: real time, signals, and the io_context behind every Executor.
//
// This is the only header with an io_context; everything above takes an Executor and a TimeSource,
// so that tests and simulations can replace them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "runtime/rng.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"
#include "runtime/virtual_time.hpp"

namespace dcm::runtime {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Executor executor() noexcept;
  // CLOCK_BOOTTIME (which advances while the machine sleeps) and the system's wall clock.
  TimeSource& time() noexcept;

  // Lets events gather while there are many (gathering.hpp): for a process that works in bulk, not
  // for a server whose clients wait for single answers.
  void gather_events() noexcept;

  // Runs `main` and everything it starts until it ends; rethrows its exception.
  void run(Task<> main);
  // Calls `handler` on the loop whenever one of these signals arrives.
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> handler);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A loop on virtual time: for tests and simulations.
class VirtualLoop {
 public:
  VirtualLoop();
  // Ready tasks run in an order drawn from `order`, not first come, first served. Cancel only from
  // within a task: from outside, Asio sends a cancellation as a task of its own, which may come
  // late.
  explicit VirtualLoop(Rng order);
  ~VirtualLoop();
  VirtualLoop(const VirtualLoop&) = delete;
  VirtualLoop& operator=(const VirtualLoop&) = delete;

  Executor executor() noexcept;
  VirtualTime& time() noexcept;

  // Runs `main` to its end, jumping over every wait; rethrows its exception. Throws
  // InvariantViolation when nothing can run and `main` has not ended.
  void run(Task<> main);
  // Runs everything that is due within `duration` from now.
  void run_for(Duration duration);
  // Runs everything that needs no time to pass.
  void run_ready();

  // Calls back between two tasks, after `count` more have run; so it can be at any await. Requires
  // a drawn order. `callback` is not a task: it must not cancel one.
  void after_tasks(std::uint64_t count, std::function<void()> callback);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A process's loop as its parts see it, real or virtual.
class LoopRef {
 public:
  // Implicit, so that a loop can be passed as a LoopRef. The loop must outlive it.
  LoopRef(Loop& loop) : executor_(loop.executor()), time_(&loop.time()) {}
  LoopRef(VirtualLoop& loop) : executor_(loop.executor()), time_(&loop.time()) {}
  // For a process with its own clocks on a shared loop.
  LoopRef(Executor executor, TimeSource& time) : executor_(std::move(executor)), time_(&time) {}

  Executor executor() const { return executor_; }
  TimeSource& time() const noexcept { return *time_; }

 private:
  Executor executor_;
  TimeSource* time_;
};

}  // namespace dcm::runtime
