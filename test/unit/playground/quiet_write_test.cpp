// Which changes wake the work on an object while it is written.
#include "playground/cluster/quiet_write.hpp"

#include <gtest/gtest.h>

namespace dcm::playground {
namespace {

const api::ResourceVersion kOurs("7");
const api::ResourceVersion kTheirs("8");

TEST(QuietWrite, holds_back_changes_only_while_it_is_under_way) {
  QuietWrite write;
  EXPECT_FALSE(write.observe(kTheirs));
  write.begin();
  EXPECT_TRUE(write.observe(kOurs));
  EXPECT_FALSE(write.end(kOurs));
  EXPECT_FALSE(write.observe(kTheirs));
}

TEST(QuietWrite, wakes_for_changes_of_others) {
  QuietWrite write;
  write.begin();
  write.observe(kOurs);
  write.observe(kTheirs);
  EXPECT_TRUE(write.end(kOurs));
  write.begin();
  EXPECT_FALSE(write.end(kOurs));  // the ones before are forgotten
}

TEST(QuietWrite, wakes_for_any_change_if_it_has_failed) {
  QuietWrite write;
  write.begin();
  EXPECT_FALSE(write.end(std::nullopt));
  write.begin();
  write.observe(kTheirs);
  EXPECT_TRUE(write.end(std::nullopt));
}

}  // namespace
}  // namespace dcm::playground
