#include "runtime/interned_string.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(InternedString, shares_entry_of_equal_strings) {
  const std::size_t before = InternedString::table_size();
  {
    const InternedString a("node-a");
    const InternedString b(std::string("node-a"));
    const InternedString c("node-b");
    EXPECT_EQ(a, b);
    EXPECT_EQ(&a.str(), &b.str());
    EXPECT_NE(a, c);
    EXPECT_LT(a, c);
    EXPECT_EQ(InternedString::table_size(), before + 2);
  }
  EXPECT_EQ(InternedString::table_size(), before) << "an entry goes with its last user";
}

TEST(InternedString, needs_no_entry_for_empty_string) {
  EXPECT_EQ(InternedString(), InternedString(""));
  EXPECT_TRUE(InternedString("").empty());
  EXPECT_EQ(InternedString().str(), "");
}

TEST(InternedString, keeps_text_when_copied_and_moved) {
  InternedString a("lab");
  InternedString b = a;
  InternedString c = std::move(a);
  a = c;
  b = InternedString("other");
  EXPECT_EQ(a.str(), "lab");
  EXPECT_EQ(b.str(), "other");
  EXPECT_EQ(c.str(), "lab");
}

}  // namespace
}  // namespace dcm::runtime
