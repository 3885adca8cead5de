#include "workqueue/rate_limit.hpp"

#include <gtest/gtest.h>

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::MonoTime;

TEST(ItemBackoff, doubles_from_5_ms_to_1000_s) {
  const std::pair<std::uint32_t, Duration> rows[] = {
      {0, 5ms},    {1, 10ms},   {2, 20ms},   {10, 5120ms}, {17, 655'360ms},
      {18, 1000s}, {19, 1000s}, {63, 1000s}, {64, 1000s},  {1'000'000, 1000s}};
  for (const auto& [failures, backoff] : rows) {
    EXPECT_EQ(kItemBackoff.after_failures(failures), backoff) << failures << " failures";
  }
}

TEST(RetryBucket, admits_100_and_then_10_per_second) {
  RetryBucket bucket;
  const MonoTime now(1h);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(bucket.reserve(now), 0s) << i;
  EXPECT_EQ(bucket.reserve(now), 100ms);
  EXPECT_EQ(bucket.reserve(now), 200ms);
  EXPECT_EQ(bucket.reserve(now + 1s), 0s) << "10 came back, 2 of them were spent in advance";
}

TEST(RetryBucket, delays_no_longer_than_an_item_backs_off) {
  RetryBucket bucket;
  const MonoTime now(1h);
  for (int i = 0; i < 100'000; ++i) bucket.reserve(now);
  EXPECT_EQ(bucket.reserve(now), kItemBackoff.most);
}

TEST(RetryBucket, is_full_again_after_10_s) {
  RetryBucket bucket;
  const MonoTime now(1h);
  EXPECT_TRUE(bucket.is_full(now));
  for (int i = 0; i < 100; ++i) bucket.reserve(now);
  EXPECT_FALSE(bucket.is_full(now + 9999ms));
  EXPECT_TRUE(bucket.is_full(now + 10s));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(bucket.reserve(now + 10h), 0s) << i;
  EXPECT_EQ(bucket.reserve(now + 10h), 100ms);
}

TEST(EarlyBucket, admits_5000_and_then_10_per_second) {
  EarlyBucket bucket;
  const MonoTime now(1h);
  for (int i = 0; i < 5'000; ++i) ASSERT_TRUE(bucket.try_take(now)) << i;
  EXPECT_FALSE(bucket.try_take(now));
  EXPECT_FALSE(bucket.try_take(now + 99ms)) << "a refusal takes nothing";
  EXPECT_TRUE(bucket.try_take(now + 100ms));
  EXPECT_FALSE(bucket.try_take(now + 100ms));
  EXPECT_FALSE(bucket.is_full(now + 500s));
  EXPECT_TRUE(bucket.is_full(now + 501s));
}

}  // namespace
}  // namespace dcm::workqueue
