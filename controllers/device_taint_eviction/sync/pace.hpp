// The rate of evictions.
#pragma once

#include <algorithm>
#include <optional>

#include "runtime/time.hpp"

namespace dcm::device_taint_eviction {

// How many evictions may begin in a second: evenly spaced turns. Nothing is saved up: a quiet hour
// does not make a burst.
class Pace {
 public:
  // 0: no limit.
  explicit Pace(double per_second)
      : interval_(per_second > 0 ? runtime::Duration(static_cast<runtime::Duration::rep>(
                                       1e9 / std::max(per_second, 1e-6)))
                                 : runtime::Duration::zero()) {}

  // Takes the turn that there is. Requires !next(now).
  void take(runtime::MonoTime now) {
    if (interval_ > runtime::Duration::zero()) next_ = now + interval_;
  }
  // An attempt that has evicted no pod gives its turn to another.
  void give_back(runtime::MonoTime now) {
    if (next_) next_ = std::max(*next_ - interval_, now);
  }
  // When there is one; nothing: now.
  std::optional<runtime::MonoTime> next(runtime::MonoTime now) const {
    return next_ && now < *next_ ? next_ : std::nullopt;
  }

 private:
  runtime::Duration interval_;
  std::optional<runtime::MonoTime> next_;
};

}  // namespace dcm::device_taint_eviction
