// Exponential back-off: how long to wait before what has failed is tried again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/time.hpp"

namespace dcm::runtime {

// `first`, doubled after each further failure, and never more than `most`. Both are above 0, and
// `first` is the smaller one. Jitter is the caller's.
struct Backoff {
  Duration first;
  Duration most;

  // The wait that follows one of `last`; 0: there was none.
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
