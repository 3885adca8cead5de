#include "runtime/rng.hpp"

#include <set>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(Rng, a_seed_replays_its_numbers) {
  Rng a(42);
  Rng b(42);
  Rng c(43);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Rng, below_stays_below_and_reaches_every_value) {
  Rng rng(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.below(7));
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(*seen.rbegin(), 6U);
  EXPECT_EQ(rng.below(0), 0U);
}

TEST(Rng, unit_is_in_the_half_open_interval) {
  Rng rng(7);
  for (int i = 0; i < 1000; ++i) {
    const double value = rng.unit();
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1.0);
  }
}

}  // namespace
}  // namespace dcm::runtime
