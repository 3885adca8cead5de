// A token bucket on the caller's clock: `rate` tokens a second, at most `burst` saved up.
#pragma once

#include <algorithm>
#include <cmath>

#include "runtime/time.hpp"

namespace dcm::client {

class TokenBucket {
 public:
  // Starts full. A rate of 0 or less: there is always a token.
  TokenBucket(double rate, double burst, runtime::MonoTime now)
      : rate_(rate), burst_(std::max(burst, 1.0)), tokens_(burst_), refilled_(now) {}

  bool is_unlimited() const { return rate_ <= 0; }

  bool has_token(runtime::MonoTime now) {
    refill(now);
    return is_unlimited() || tokens_ >= 1;
  }

  // Requires has_token().
  void take() {
    if (!is_unlimited()) tokens_ -= 1;
  }

  // When there will be a token, if none is taken before.
  runtime::MonoTime next_token(runtime::MonoTime now) {
    if (has_token(now)) return now;
    constexpr double kLongest = 1e9;  // a rate may be next to nothing
    const double seconds = std::min((1 - tokens_) / rate_, kLongest);
    // Rounded up, so that the token is there when the time has come.
    return now +
           runtime::Duration(static_cast<runtime::Duration::rep>(std::ceil(seconds * 1e9)) + 1);
  }

 private:
  void refill(runtime::MonoTime now) {
    if (now <= refilled_) return;
    const double seconds = std::chrono::duration<double>(now - refilled_).count();
    tokens_ = std::min(burst_, tokens_ + seconds * rate_);
    refilled_ = now;
  }

  double rate_;
  double burst_;
  double tokens_;
  runtime::MonoTime refilled_;
};

}  // namespace dcm::client
