#include "runtime/one_line.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(OneLine, has_no_control_characters_and_keeps_the_rest) {
  EXPECT_EQ(one_line("a\r\nb\tc\x1b[2J\x7f"), "a  b c [2J ");
  EXPECT_EQ(one_line("größer \"als\" 5 \xff"), "größer \"als\" 5 \xff");
  EXPECT_EQ(one_line(""), "");
}

}  // namespace
}  // namespace dcm::runtime
