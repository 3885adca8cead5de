// Decides when a busy loop should let events gather before it polls again. Waking for each single
// event costs a task switch, a system call and cold caches: a fifth of the CPU while thousands of
// objects change. A loop that is woken repeatedly within a millisecond pauses for one after each
// round; a wait of a few milliseconds does not end this mode, a longer one does. So a lone event is
// never delayed.
#pragma once

#include <algorithm>

#include "runtime/time.hpp"

namespace dcm::runtime {

class Gathering {
 public:
  static constexpr Duration kPause = std::chrono::milliseconds(1);
  // Waits of at most this length count as short. Longer than a pause: the system ends pauses a
  // little late.
  static constexpr Duration kShortWait = kPause + std::chrono::microseconds(300);
  // This many short waits make a loop busy.
  static constexpr int kBusyAfter = 8;
  // A wait that is not short, but shorter than this, cancels out this many short ones.
  static constexpr Duration kLongWait = std::chrono::milliseconds(5);
  static constexpr int kGap = 3;

  // Call this for each round of events, with the time since the end of the last round, including
  // the pause. Returns how long to pause after this round.
  Duration next_pause(Duration waited) noexcept {
    if (waited <= kShortWait) {
      short_waits_ = std::min(short_waits_ + 1, 2 * kBusyAfter);
    } else {
      short_waits_ = waited < kLongWait ? std::max(short_waits_ - kGap, 0) : 0;
    }
    return short_waits_ >= kBusyAfter ? kPause : Duration::zero();
  }

 private:
  int short_waits_ = 0;
};

}  // namespace dcm::runtime
