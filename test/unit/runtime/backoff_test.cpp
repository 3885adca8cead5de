#include "runtime/backoff.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Backoff kBackoff{1s, 10s};

TEST(Backoff, doubles_from_first_wait_to_longest) {
  Duration wait{};
  for (const Duration expected : {1s, 2s, 4s, 8s, 10s, 10s}) {
    wait = kBackoff.after(wait);
    EXPECT_EQ(wait, expected);
  }
}

TEST(Backoff, counts_failures_instead_of_last_wait) {
  Duration wait{};
  for (std::uint64_t failures = 0; failures < 8; ++failures) {
    wait = kBackoff.after(wait);
    EXPECT_EQ(kBackoff.after_failures(failures), wait) << failures;
  }
  EXPECT_EQ(kBackoff.after_failures(std::numeric_limits<std::uint64_t>::max()), 10s);
}

TEST(Backoff, does_not_overflow) {
  constexpr Backoff kForever{1h, Duration::max()};
  EXPECT_EQ(kForever.after(Duration::max() - 1s), Duration::max());
  EXPECT_EQ(kForever.after_failures(1'000), Duration::max());
}

}  // namespace
}  // namespace dcm::runtime
