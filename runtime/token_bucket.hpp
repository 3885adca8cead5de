// A token bucket on the caller's clock: `rate` tokens per second, at most `burst` saved up.
#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/time.hpp"

namespace dcm::runtime {

class TokenBucket {
 public:
  // Starts full. With a rate of 0 or less there is always a token.
  TokenBucket(double rate, double burst, MonoTime now)
      : rate_(rate), burst_(std::max(burst, 1.0)), tokens_(burst_), refilled_(now) {}

  bool is_unlimited() const { return rate_ <= 0; }

  bool has_token(MonoTime now) {
    refill(now);
    return is_unlimited() || tokens_ >= 1;
  }

  // Requires has_token().
  void take() {
    if (!is_unlimited()) tokens_ -= 1;
  }

  // When the next token is available, if none is taken before.
  MonoTime next_token(MonoTime now) {
    if (has_token(now)) return now;
    constexpr double kLongest = 1e9;  // a rate may be close to zero
    const double seconds = std::min((1 - tokens_) / rate_, kLongest);
    // Rounded up, so that the token is there at that time.
    return now + Duration(static_cast<Duration::rep>(std::ceil(seconds * 1e9)) + 1);
  }

 private:
  void refill(MonoTime now) {
    if (now <= refilled_) return;
    const double seconds = in_seconds(now - refilled_);
    tokens_ = std::min(burst_, tokens_ + seconds * rate_);
    refilled_ = now;
  }

  double rate_;
  double burst_;
  double tokens_;
  MonoTime refilled_;
};

}  // namespace dcm::runtime
