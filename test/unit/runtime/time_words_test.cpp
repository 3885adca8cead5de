#include "runtime/time_words.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

TEST(TimeWords, show_two_largest_units) {
  EXPECT_EQ(in_words(Duration(-1)), "no time");
  EXPECT_EQ(in_words(999ms), "less than a second");
  EXPECT_EQ(in_words(59s), "59 s");
  EXPECT_EQ(in_words(65s), "1 min 5 s");
  EXPECT_EQ(in_words(2h), "2 h 0 min");
  EXPECT_EQ(in_words(100h), "4 days");
}

TEST(TimeWords, show_times_with_distance) {
  const WallTime noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 12h;
  EXPECT_EQ(in_words(noon, noon - 90s), "2026-11-21T12:00:00Z (in 1 min 30 s)");
  EXPECT_EQ(in_words(noon, noon + 5s), "2026-11-21T12:00:00Z (5 s ago)");
  EXPECT_EQ(in_words(WallTime::max(), noon), "a time in the far future");
  EXPECT_EQ(in_words(WallTime::min(), noon).substr(0, 5), "1677-");
}

}  // namespace
}  // namespace dcm::runtime
