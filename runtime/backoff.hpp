// Exponential back-off: how long to wait before a failed operation is tried again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/time.hpp"

namespace dcm::runtime {

// Waits `first`, and twice as long after each further failure, but never more than `most`. Both are
// above 0, and `first` is not above `most`. The caller adds jitter.
struct Backoff {
  Duration first;
  Duration most;

  // The wait that follows a wait of `last`; a `last` of 0 means that there was none.
  constexpr Duration after(Duration last) const {
    return last > most / 2 ? most : std::max(2 * last, first);
  }
  // The wait after a failure that follows `failures` others.
  constexpr Duration after_failures(std::uint64_t failures) const {
    Duration wait = first;
    for (; failures > 0 && wait < most; --failures) wait = after(wait);
    return std::min(wait, most);
  }
};

}  // namespace dcm::runtime
