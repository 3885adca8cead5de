#include "workqueue/rate_limit.hpp"

#include <algorithm>

namespace dcm::workqueue {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::MonoTime;

namespace {

constexpr Duration kTokenInterval = 100ms;
constexpr Duration kBurst = 100 * kTokenInterval;

}  // namespace

Duration item_backoff(std::uint32_t failures, const Backoff& backoff) {
  Duration wait = backoff.first;
  for (std::uint32_t i = 0; i < failures && wait < backoff.most; ++i) wait *= 2;
  return std::min(wait, backoff.most);
}

Duration RetryBucket::reserve(MonoTime now) {
  full_at_ = std::max(full_at_, now) + kTokenInterval;
  return std::max(Duration::zero(), full_at_ - now - kBurst);
}

}  // namespace dcm::workqueue
