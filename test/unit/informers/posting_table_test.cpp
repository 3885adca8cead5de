#include "informers/posting_table.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/rng.hpp"

namespace dcm::informers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<SlotId> slots_under(const PostingTable& table, KeyHash hash) {
  std::vector<SlotId> slots;
  table.for_each(hash, [&slots](SlotId slot) {
    slots.push_back(slot);
    return true;
  });
  return slots;
}

void set(PostingTable& table, SlotId slot, std::vector<KeyHash> hashes) {
  table.set(slot, hashes);
}

TEST(PostingTable, returns_nothing_if_empty) {
  EXPECT_THAT(slots_under(PostingTable(), 7), IsEmpty());
}

TEST(PostingTable, keeps_insertion_order) {
  PostingTable table;
  for (const SlotId slot : {5U, 1U, 3U}) set(table, slot, {7});
  EXPECT_THAT(slots_under(table, 7), ElementsAre(5, 1, 3));
  set(table, 5, {});
  set(table, 5, {7});
  EXPECT_THAT(slots_under(table, 7), ElementsAre(1, 3, 5));
}

TEST(PostingTable, keeps_place_of_unchanged_slot) {
  PostingTable table;
  set(table, 1, {7, 8});
  set(table, 2, {7});
  set(table, 1, {7, 8});
  EXPECT_THAT(slots_under(table, 7), ElementsAre(1, 2));
}

TEST(PostingTable, stops_at_request_of_visitor) {
  PostingTable table;
  set(table, 1, {7});
  set(table, 2, {7});
  int visits = 0;
  table.for_each(7, [&visits](SlotId) {
    ++visits;
    return false;
  });
  EXPECT_EQ(visits, 1);
}

TEST(PostingTable, reuses_freed_slots) {
  PostingTable table;
  set(table, 0, {1, 2, 3});
  const std::size_t bytes = table.bytes();
  for (KeyHash i = 0; i < 1000; ++i) set(table, 0, {i, i + 1, i + 2});
  EXPECT_EQ(table.bytes(), bytes);
  EXPECT_EQ(table.size(), 3U);
}

TEST(PostingTable, agrees_with_plain_map) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime::Rng rng(seed);
    PostingTable table;
    std::map<SlotId, std::vector<KeyHash>> model;
    for (int i = 0; i < 5000; ++i) {
      const auto slot = static_cast<SlotId>(rng.below(200));
      std::vector<KeyHash> hashes;
      // Multiples of 64 share buckets while the table is small.
      for (auto left = rng.below(4); left > 0; --left) {
        const auto hash = static_cast<KeyHash>(rng.below(40) * 64);
        if (std::ranges::find(hashes, hash) == hashes.end()) hashes.push_back(hash);
      }
      table.set(slot, hashes);
      model[slot] = hashes;
    }
    std::size_t size = 0;
    for (const auto& [_, hashes] : model) size += hashes.size();
    EXPECT_EQ(table.size(), size);
    for (KeyHash hash = 0; hash < 40 * 64; hash += 64) {
      std::vector<SlotId> expected;
      for (const auto& [slot, hashes] : model) {
        if (std::ranges::find(hashes, hash) != hashes.end()) expected.push_back(slot);
      }
      std::vector<SlotId> slots = slots_under(table, hash);
      std::ranges::sort(slots);
      EXPECT_EQ(slots, expected);
    }
  }
}

}  // namespace
}  // namespace dcm::informers
