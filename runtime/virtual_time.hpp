// Time that stands still until nothing else can run, then jumps to the next timer. So a test of a
// day's work takes milliseconds and always runs in the same order.
#pragma once

#include "runtime/time.hpp"

namespace dcm::runtime {

class VirtualTime final : public TimeSource {
 public:
  // `start` is the initial wall_now().
  explicit VirtualTime(WallTime start = WallTime(std::chrono::days(20'000)));

  MonoTime now() const noexcept override { return now_; }
  WallTime wall_now() const noexcept override { return wall_start_ + now_.time_since_epoch(); }
  TimerId schedule(MonoTime when, std::function<void()> callback) override;
  void cancel(TimerId id) noexcept override { timers_.cancel(id); }

  // Jumps to the next due time, unless it is after `limit`, and runs what is due then. Returns
  // whether anything ran.
  bool advance_to_next(MonoTime limit);
  // Advances to `when` without running anything. Requires that nothing is due before.
  void advance_to(MonoTime when);
  // Lets wall time jump, in either direction.
  void step_wall(Duration by) { wall_start_ += by; }

  std::size_t pending() const noexcept { return timers_.size(); }

 private:
  TimerQueue timers_;
  MonoTime now_{};
  WallTime wall_start_;
};

}  // namespace dcm::runtime
