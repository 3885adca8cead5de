#include "runtime/lru_map.hpp"

#include <string>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(LruMap, erases_least_recently_used) {
  LruMap<int> map;
  for (const char* key : {"a", "b", "c"}) map.insert(key, 0);
  map.use("a");
  map.erase_oldest();
  EXPECT_EQ(map.use("b"), nullptr);
  EXPECT_NE(map.use("a"), nullptr);
  EXPECT_EQ(map.size(), 2U);
}

TEST(LruMap, erases_nothing_if_nothing_is_expendable) {
  LruMap<int> map;
  map.insert("a", 0);
  map.erase_oldest([](int) { return false; });
  EXPECT_EQ(map.size(), 1U);
}

// 10,000 events that wait, older than those that may be forgotten.
TEST(LruMap, examines_entries_that_stay_only_now_and_then) {
  LruMap<bool> map;
  for (int i = 0; i < 10'000; ++i) map.insert("waits " + std::to_string(i), false);
  for (int i = 0; i < 4'000; ++i) map.insert("idle " + std::to_string(i), true);
  std::size_t examined = 0;
  for (int i = 4'000; i < 14'000; ++i) {
    map.insert("idle " + std::to_string(i), true);
    map.erase_oldest([&examined](bool is_idle) {
      ++examined;
      return is_idle;
    });
  }
  EXPECT_EQ(map.size(), 14'000U);
  EXPECT_EQ(map.use("idle 9999"), nullptr);
  EXPECT_NE(map.use("idle 10000"), nullptr);
  EXPECT_LT(examined, 50'000U);
}

}  // namespace
}  // namespace dcm::runtime
