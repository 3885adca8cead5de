#include "runtime/time.hpp"

#include "runtime/condition.hpp"

namespace dcm::runtime {

TimerId TimerQueue::add(MonoTime when, std::function<void()> callback) {
  const TimerId id{when, sequence_++};
  timers_.emplace(id, std::move(callback));
  return id;
}

std::function<void()> TimerQueue::take() {
  return std::move(timers_.extract(timers_.begin()).mapped());
}

Task<> sleep_until(TimeSource& time, MonoTime when) {
  Condition nobody_notifies(time);
  co_await nobody_notifies.wait(Deadline(when));
}

Task<> sleep_for(TimeSource& time, Duration duration) {
  return sleep_until(time, Deadline::after(time, duration).time());
}

}  // namespace dcm::runtime
