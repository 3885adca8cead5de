#include "controllers/resource_claim/uid_memory.hpp"

#include <gtest/gtest.h>

namespace dcm::resource_claim {
namespace {

api::Uid uid(int number) {
  return api::Uid("uid-" + std::to_string(number));
}

TEST(UidMemory, remembers_added_uids) {
  UidMemory memory;
  memory.add(uid(1));
  memory.add(api::Uid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11"));
  EXPECT_TRUE(memory.contains(uid(1)));
  EXPECT_TRUE(memory.contains(api::Uid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11")));
  EXPECT_FALSE(memory.contains(uid(2)));
}

TEST(UidMemory, drops_oldest_when_full) {
  UidMemory memory(3);
  for (int i = 0; i < 4; ++i) memory.add(uid(i));
  EXPECT_FALSE(memory.contains(uid(0)));
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(memory.contains(uid(i))) << i;
  EXPECT_EQ(memory.size(), 3U);
}

TEST(UidMemory, keeps_latest_through_many_rounds) {
  UidMemory memory(100);
  for (int i = 0; i < 1'000; ++i) memory.add(uid(i));
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(memory.contains(uid(i)), i >= 900) << i;
  EXPECT_EQ(memory.size(), 100U);
}

TEST(UidMemory, costs_nothing_for_repeated_uid) {
  UidMemory memory(2);
  memory.add(uid(1));
  memory.add(uid(2));
  memory.add(uid(2));
  memory.add(uid(1));
  EXPECT_TRUE(memory.contains(uid(1)));
  EXPECT_TRUE(memory.contains(uid(2)));
}

TEST(UidMemory, begins_anew_after_clear) {
  UidMemory memory(2);
  for (int i = 0; i < 3; ++i) memory.add(uid(i));
  memory.clear();
  EXPECT_EQ(memory.size(), 0U);
  for (int i = 0; i < 3; ++i) memory.add(uid(i));
  EXPECT_FALSE(memory.contains(uid(0)));
  EXPECT_TRUE(memory.contains(uid(1)));
  EXPECT_TRUE(memory.contains(uid(2)));
}

TEST(UidMemory, ignores_none) {
  UidMemory memory(2);
  memory.add(api::Uid());
  EXPECT_EQ(memory.size(), 0U);
  EXPECT_FALSE(memory.contains(api::Uid()));
}

}  // namespace
}  // namespace dcm::resource_claim
