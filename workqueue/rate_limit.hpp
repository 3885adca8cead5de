// How long a retry waits: the two limits of client-go's DefaultTypedControllerRateLimiter, of which
// the longer applies. Unlike there, each namespace has its own bucket, so that one tenant's 10,000
// failures do not delay another's first retry by 1,000 s.
#pragma once

#include <chrono>

#include "runtime/backoff.hpp"

namespace dcm::workqueue {

using runtime::Backoff;

// The default back-off of an item.
inline constexpr Backoff kItemBackoff{std::chrono::milliseconds(5), std::chrono::seconds(1000)};

// Admits a burst of 100 retries at once, then 10 per second. A reservation is delayed rather than
// refused, and delays the next one more, up to an item's longest back-off.
class RetryBucket {
 public:
  // Takes the next token, even a future one; returns how long to wait for it.
  runtime::Duration reserve(runtime::MonoTime now);
  // A full bucket has no state: it may be destroyed and created again.
  bool is_full(runtime::MonoTime now) const { return full_at_ <= now; }

 private:
  runtime::MonoTime full_at_{};
};

// Admits 5,000 attempts before their retry is due, then 10 per second; refuses the others. Enough
// for a large job whose missing object appears, and a limit for a tenant who makes thousands of
// failing items try again by one change, again and again.
class EarlyBucket {
 public:
  // Takes a token; false if there is none.
  bool try_take(runtime::MonoTime now);
  bool is_full(runtime::MonoTime now) const { return full_at_ <= now; }

 private:
  runtime::MonoTime full_at_{};
};

}  // namespace dcm::workqueue
