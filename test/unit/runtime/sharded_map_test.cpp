#include "runtime/sharded_map.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "runtime/rng.hpp"

namespace dcm::runtime {
namespace {

TEST(ShardedMap, does_what_a_map_does) {
  Rng rng(1);
  ShardedMap<std::string, int> map;
  std::map<std::string, int> model;
  for (int step = 0; step < 20'000; ++step) {
    const std::string key = std::to_string(rng.below(500));
    if (rng.below(2) == 0) {
      const auto [entry, is_new] = map.try_emplace(key, step);
      EXPECT_EQ(is_new, model.try_emplace(key, step).second);
      EXPECT_EQ(*entry, *model.find(key));
    } else {
      EXPECT_EQ(map.erase(key), model.erase(key) > 0);
    }
    EXPECT_EQ(map.size(), model.size());
    EXPECT_EQ(map.find(key) != nullptr, model.contains(key));
  }
  map["zero"];
  model["zero"];
  std::map<std::string, int> visited;
  map.for_each([&](const std::string& key, int value) { visited[key] = value; });
  EXPECT_EQ(visited, model);
  for (std::size_t part = 0; part < kShards; ++part) map.clear_part(part);
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find("zero"), nullptr);
}

TEST(ShardedMap, keeps_values_in_place) {
  ShardedMap<int, int> map;
  const int* first = &map[0];
  for (int i = 1; i < 100'000; ++i) map[i] = i;
  EXPECT_EQ(map.find(0), first);
}

// A part that grows hashes its keys again.
struct CountingHash {
  static inline int calls = 0;
  std::size_t operator()(int key) const noexcept {
    ++calls;
    return static_cast<std::size_t>(key);
  }
};

TEST(ShardedMap, grows_in_small_steps) {
  constexpr int kStep = 1000;
  ShardedMap<int, int, CountingHash> map;
  int most = 0;
  for (int key = 0; key < 100'000; ++key) {
    if (key % kStep == 0) CountingHash::calls = 0;
    map[key] = key;
    most = std::max(most, CountingHash::calls);
  }
  EXPECT_LT(most, 20'000);
}

TEST(ShardedSet, does_what_a_set_does) {
  ShardedSet<int> set;
  EXPECT_TRUE(set.insert(1));
  EXPECT_FALSE(set.insert(1));
  EXPECT_TRUE(set.contains(1));
  EXPECT_EQ(set.size(), 1U);
  EXPECT_TRUE(set.erase(1));
  EXPECT_FALSE(set.erase(1));
  EXPECT_FALSE(set.contains(1));
}

}  // namespace
}  // namespace dcm::runtime
