#include "runtime/rng.hpp"

#include <set>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(Rng, repeats_numbers_of_seed) {
  Rng a(42);
  Rng b(42);
  Rng c(43);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Rng, reaches_every_value_below_bound) {
  Rng rng(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.below(7));
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(*seen.rbegin(), 6U);
  EXPECT_EQ(rng.below(0), 0U);
}

TEST(Rng, stays_in_half_open_unit_interval) {
  Rng rng(7);
  for (int i = 0; i < 1000; ++i) {
    const double value = rng.unit();
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1.0);
  }
}

}  // namespace
}  // namespace dcm::runtime
