#include "workqueue/rate_limit.hpp"

#include <algorithm>

namespace dcm::workqueue {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::MonoTime;

namespace {

constexpr Duration kTokenInterval = 100ms;
constexpr Duration kBurst = 100 * kTokenInterval;
constexpr Duration kLongestWait = kItemBackoff.most;
constexpr Duration kEarlyBurst = 5'000 * kTokenInterval;

}  // namespace

Duration RetryBucket::reserve(MonoTime now) {
  full_at_ = std::min(std::max(full_at_, now) + kTokenInterval, now + kBurst + kLongestWait);
  return std::max(Duration::zero(), full_at_ - now - kBurst);
}

bool EarlyBucket::try_take(MonoTime now) {
  const MonoTime full_at = std::max(full_at_, now) + kTokenInterval;
  if (full_at > now + kEarlyBurst) return false;
  full_at_ = full_at;
  return true;
}

}  // namespace dcm::workqueue
