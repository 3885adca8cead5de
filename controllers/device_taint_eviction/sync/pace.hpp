// The rate of evictions.
#pragma once

#include <algorithm>
#include <optional>

#include "runtime/time.hpp"

namespace dcm::device_taint_eviction {

// How many evictions may start per second: evenly spaced turns. Nothing is saved up: a quiet hour
// causes no burst.
class Pace {
 public:
  // 0: no limit.
  explicit Pace(double per_second)
      : interval_(per_second > 0 ? runtime::Duration(static_cast<runtime::Duration::rep>(
                                       1e9 / std::max(per_second, 1e-6)))
                                 : runtime::Duration::zero()) {}

  // Takes the available turn. Requires !next(now).
  void take(runtime::MonoTime now) {
    if (interval_ > runtime::Duration::zero()) next_ = now + interval_;
  }
  // An attempt without an eviction passes its turn on.
  void give_back(runtime::MonoTime now) {
    if (next_) next_ = std::max(*next_ - interval_, now);
  }
  // When the next turn is available; nullopt: now.
  std::optional<runtime::MonoTime> next(runtime::MonoTime now) const {
    return next_ && now < *next_ ? next_ : std::nullopt;
  }

 private:
  runtime::Duration interval_;
  std::optional<runtime::MonoTime> next_;
};

}  // namespace dcm::device_taint_eviction
