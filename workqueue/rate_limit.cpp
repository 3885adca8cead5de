#include "workqueue/rate_limit.hpp"

#include <algorithm>

namespace dcm::workqueue {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::MonoTime;

namespace {

constexpr Duration kFirstBackoff = 5ms;
constexpr Duration kMaxBackoff = 1000s;
constexpr std::uint32_t kMaxDoublings = 18;  // 5 ms * 2^18 is beyond 1,000 s

constexpr Duration kTokenInterval = 100ms;
constexpr Duration kBurst = 100 * kTokenInterval;

}  // namespace

Duration item_backoff(std::uint32_t failures) {
  const Duration backoff = kFirstBackoff * (std::int64_t{1} << std::min(failures, kMaxDoublings));
  return std::min(backoff, kMaxBackoff);
}

Duration RetryBucket::reserve(MonoTime now) {
  full_at_ = std::max(full_at_, now) + kTokenInterval;
  return std::max(Duration::zero(), full_at_ - now - kBurst);
}

}  // namespace dcm::workqueue
