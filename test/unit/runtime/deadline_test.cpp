#include "runtime/deadline.hpp"

#include <gtest/gtest.h>

#include "runtime/virtual_time.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

TEST(Deadline, is_unreachable_by_default) {
  VirtualTime time;
  time.advance_to(MonoTime(24h * 365 * 200));
  EXPECT_FALSE(Deadline().has_passed(time));
  EXPECT_EQ(Deadline().left(time), Duration::max());
}

TEST(Deadline, expires_at_its_time) {
  VirtualTime time;
  const Deadline deadline = Deadline::after(time, 5s);
  EXPECT_EQ(deadline.left(time), 5s);
  time.advance_to(MonoTime(4999ms));
  EXPECT_FALSE(deadline.has_passed(time));
  time.advance_to(MonoTime(5s));
  EXPECT_TRUE(deadline.has_passed(time));
  EXPECT_EQ(deadline.left(time), 0s);
}

TEST(Deadline, saturates_instead_of_overflowing) {
  VirtualTime time;
  time.advance_to(MonoTime(1h));
  EXPECT_FALSE(Deadline::after(time, Duration::max()).is_reachable());
}

TEST(Deadline, returns_earlier_one_as_minimum) {
  VirtualTime time;
  const Deadline parent = Deadline::after(time, 5s);
  EXPECT_EQ(std::min(parent, Deadline::after(time, 9s)), parent);
  EXPECT_EQ(std::min(parent, Deadline()), parent);
}

}  // namespace
}  // namespace dcm::runtime
