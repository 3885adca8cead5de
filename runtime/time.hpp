// Time as an object: two clocks and timers, passed to constructors. Monotonic time is for waiting,
// wall time for API objects; the two may drift apart (and do, in tests). With VirtualTime the same
// code runs a day in milliseconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "runtime/task.hpp"

namespace dcm::runtime {

using Duration = std::chrono::nanoseconds;

constexpr double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// A tag without a now(): only a TimeSource knows the time.
struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};

using MonoTime = MonotonicClock::time_point;
using WallTime = std::chrono::sys_time<Duration>;

// Names a scheduled callback: its due time and a sequence number that breaks ties.
using TimerId = std::pair<MonoTime, std::uint64_t>;

class TimeSource {
 public:
  virtual ~TimeSource() = default;

  // Never goes back. Advances while the machine sleeps.
  virtual MonoTime now() const noexcept = 0;
  // May jump in either direction.
  virtual WallTime wall_now() const noexcept = 0;

  // Runs `callback` once on the loop, at `when` or soon after (at once if that has passed), unless
  // cancelled before. The callback must not throw.
  virtual TimerId schedule(MonoTime when, std::function<void()> callback) = 0;
  // Cancels a callback that has not started. Harmless after the callback has started.
  virtual void cancel(TimerId id) noexcept = 0;
};

// The callbacks of a TimeSource, ordered by due time. Owns no clock.
class TimerQueue {
 public:
  TimerId add(MonoTime when, std::function<void()> callback);
  void cancel(TimerId id) noexcept { timers_.erase(id); }
  bool empty() const noexcept { return timers_.empty(); }
  std::size_t size() const noexcept { return timers_.size(); }
  // The earliest due time. Requires !empty().
  MonoTime next() const { return timers_.begin()->first.first; }
  // Removes the earliest callback. Requires !empty().
  std::function<void()> take();

 private:
  std::map<TimerId, std::function<void()>> timers_;
  std::uint64_t sequence_ = 0;
};

// Waits until `when`. Throws on cancellation.
Task<> sleep_until(TimeSource& time, MonoTime when);
// Waits for `duration`; 0 or less still gives other tasks a turn.
Task<> sleep_for(TimeSource& time, Duration duration);

}  // namespace dcm::runtime
