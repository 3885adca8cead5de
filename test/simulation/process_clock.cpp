#include "test/simulation/process_clock.hpp"

#include <utility>

namespace dcm::simulation {

using runtime::TimerId;

TimerId ProcessClock::schedule(runtime::MonoTime when, std::function<void()> callback) {
  if (freezing_ == Freezing::never) return inner_.schedule(when, std::move(callback));
  const TimerId id(when, next_++);
  timers_.emplace(id, Timer{std::move(callback), inner_.schedule(when, [this, id] { fire(id); })});
  return id;
}

void ProcessClock::cancel(TimerId id) noexcept {
  if (freezing_ == Freezing::never) return inner_.cancel(id);
  const auto timer = timers_.find(id);
  if (timer == timers_.end()) return;
  inner_.cancel(timer->second.inner);
  timers_.erase(timer);
}

void ProcessClock::fire(TimerId id) {
  if (!is_frozen_) timers_.extract(id).mapped().callback();
}

void ProcessClock::thaw() {
  is_frozen_ = false;
  // A callback may cancel others.
  while (!timers_.empty() && timers_.begin()->first.first < now()) {
    timers_.extract(timers_.begin()).mapped().callback();
  }
}

}  // namespace dcm::simulation
