// The clocks of one manager's machine: a wall clock that may be wrong, and timers that stop while
// its process is stopped (SIGSTOP, a migrating virtual machine).
#pragma once

#include <map>

#include "runtime/time.hpp"

namespace dcm::simulation {

class ProcessClock final : public runtime::TimeSource {
 public:
  // `inner` must outlive it. Only a clock that may be frozen tracks its timers.
  enum class Freezing { never, possible };
  ProcessClock(runtime::TimeSource& inner, Freezing freezing)
      : inner_(inner), freezing_(freezing) {}

  runtime::MonoTime now() const noexcept override { return inner_.now(); }
  runtime::WallTime wall_now() const noexcept override { return inner_.wall_now() + wrong_by_; }
  runtime::TimerId schedule(runtime::MonoTime when, std::function<void()> callback) override;
  void cancel(runtime::TimerId id) noexcept override;

  void set_wrong_by(runtime::Duration by) { wrong_by_ = by; }
  // Timers that become due from now on wait. Needs Freezing::possible.
  void freeze() { is_frozen_ = true; }
  // Calls the timers that have become due meanwhile.
  void thaw();

 private:
  struct Timer {
    std::function<void()> callback;
    runtime::TimerId inner;
  };
  void fire(runtime::TimerId id);

  runtime::TimeSource& inner_;
  Freezing freezing_;
  runtime::Duration wrong_by_{};
  bool is_frozen_ = false;
  std::uint64_t next_ = 0;
  std::map<runtime::TimerId, Timer> timers_;
};

}  // namespace dcm::simulation
