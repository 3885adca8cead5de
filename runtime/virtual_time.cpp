#include "runtime/virtual_time.hpp"

#include <algorithm>

#include "runtime/assert.hpp"

namespace dcm::runtime {

VirtualTime::VirtualTime(WallTime start) : wall_start_(start) {}

TimerId VirtualTime::schedule(MonoTime when, std::function<void()> callback) {
  return timers_.add(when, std::move(callback));
}

bool VirtualTime::advance_to_next(MonoTime limit) {
  if (timers_.empty() || timers_.next() > limit) return false;
  now_ = std::max(now_, timers_.next());
  while (!timers_.empty() && timers_.next() <= now_) timers_.take()();
  return true;
}

void VirtualTime::advance_to(MonoTime when) {
  DCM_ASSERT(timers_.empty() || timers_.next() >= when);
  now_ = std::max(now_, when);
}

}  // namespace dcm::runtime
