// The loop thread of the process: real time, signals, and the io_context behind every Executor.
//
// This is the only header that stands for an io_context; everything above takes an Executor and a
// TimeSource, so that a test or a simulation can bring its own.
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
  // CLOCK_BOOTTIME (which runs on while the machine sleeps) and the system's wall clock.
  TimeSource& time() noexcept;

  // Lets events gather while there are many (gathering.hpp): for a process that works in bulk, not
  // for a server whose clients wait for one answer at a time.
  void gather_events() noexcept;

  // Runs `main` and everything it starts until it ends; rethrows what it throws.
  void run(Task<> main);
  // Calls `handler` on the loop at the first of these signals and at each further one.
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> handler);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A loop whose time is virtual: for tests and simulations.
class VirtualLoop {
 public:
  VirtualLoop();
  // Ready tasks run in an order drawn from `order`, not first come, first served. Cancel from
  // within a task only: from outside, Asio sends a cancellation as a task of its own, which may
  // come late.
  explicit VirtualLoop(Rng order);
  ~VirtualLoop();
  VirtualLoop(const VirtualLoop&) = delete;
  VirtualLoop& operator=(const VirtualLoop&) = delete;

  Executor executor() noexcept;
  VirtualTime& time() noexcept;

  // Runs `main` to its end, jumping over every wait; rethrows what it throws. Throws
  // InvariantViolation when nothing can run any more and `main` has not ended.
  void run(Task<> main);
  // Runs everything that is due within `duration` from now.
  void run_for(Duration duration);
  // Runs everything that needs no time to pass.
  void run_ready();

  // Calls back between two tasks as soon as so many more have run: at any await, that is. Needs an
  // order that is drawn. `callback` is no task: it must not cancel any.
  void after_tasks(std::uint64_t count, std::function<void()> callback);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A process's loop as its parts see it, be it real or virtual.
class LoopRef {
 public:
  // Implicit, so that a loop can be given where a LoopRef is asked for. The loop must outlive it.
  LoopRef(Loop& loop) : executor_(loop.executor()), time_(&loop.time()) {}
  LoopRef(VirtualLoop& loop) : executor_(loop.executor()), time_(&loop.time()) {}
  // A process with clocks of its own on a loop that it shares.
  LoopRef(Executor executor, TimeSource& time) : executor_(std::move(executor)), time_(&time) {}

  Executor executor() const { return executor_; }
  TimeSource& time() const noexcept { return *time_; }

 private:
  Executor executor_;
  TimeSource* time_;
};

}  // namespace dcm::runtime
