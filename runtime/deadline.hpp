// The point in time at which a wait ends.
//
// Interfaces take a Deadline, not a timeout: it can be passed through any number of calls without
// adding up, and a callee uses the earlier of its caller's deadline and its own.
#pragma once

#include <algorithm>
#include <compare>

#include "runtime/time.hpp"

namespace dcm::runtime {

class Deadline {
 public:
  // A deadline that is never reached.
  constexpr Deadline() = default;
  constexpr explicit Deadline(MonoTime when) : when_(when) {}
  // `timeout` from now; saturates, so a huge timeout is never reached.
  static Deadline after(const TimeSource& time, Duration timeout) {
    const MonoTime now = time.now();
    return timeout >= MonoTime::max() - now ? Deadline() : Deadline(now + timeout);
  }

  constexpr MonoTime time() const { return when_; }
  constexpr bool is_reachable() const { return when_ != MonoTime::max(); }
  bool has_passed(const TimeSource& time) const { return is_reachable() && time.now() >= when_; }
  // The remaining time: 0 when passed, Duration::max() when unreachable.
  Duration left(const TimeSource& time) const {
    return is_reachable() ? std::max(Duration::zero(), when_ - time.now()) : Duration::max();
  }

  friend constexpr auto operator<=>(Deadline, Deadline) = default;

 private:
  MonoTime when_ = MonoTime::max();
};

}  // namespace dcm::runtime
