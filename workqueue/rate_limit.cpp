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

}  // namespace

Duration RetryBucket::reserve(MonoTime now) {
  full_at_ = std::min(std::max(full_at_, now) + kTokenInterval, now + kBurst + kLongestWait);
  return std::max(Duration::zero(), full_at_ - now - kBurst);
}

}  // namespace dcm::workqueue
