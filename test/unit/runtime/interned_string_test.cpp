#include "runtime/interned_string.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
    EXPECT_EQ(a.view().data(), b.view().data());
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

TEST(InternedString, compares_with_texts_without_interning_them) {
  const InternedString name("pods");
  const std::size_t before = InternedString::table_size();
  EXPECT_EQ(name, "pods");
  EXPECT_NE(name, std::string("nodes"));
  EXPECT_EQ("/" + name + "/", "/pods/");
  EXPECT_EQ(InternedString::table_size(), before);
}

// The table grows by one bucket at a time, and its entries move.
TEST(InternedString, finds_each_of_many_strings) {
  const std::size_t before = InternedString::table_size();
  std::vector<InternedString> strings;
  for (int i = 0; i < 5000; ++i) strings.emplace_back("string-" + std::to_string(i));
  for (std::size_t i = 0; i < 5000; i += 2) strings[i] = {};
  EXPECT_EQ(InternedString::table_size(), before + 2500);
  for (std::size_t i = 1; i < 5000; i += 2) {
    const InternedString again("string-" + std::to_string(i));
    EXPECT_EQ(again.view().data(), strings[i].view().data());
  }
  strings.clear();
  EXPECT_EQ(InternedString::table_size(), before);
}

TEST(NumberOrText, shares_text_and_orders_texts_before_numbers) {
  const std::size_t before = InternedString::table_size();
  {
    NumberOrText text(InternedString("text"));
    NumberOrText copy = text;
    const NumberOrText moved = std::move(copy);
    copy = NumberOrText(std::uint64_t{7});
    EXPECT_EQ(copy.number(), 7U);
    EXPECT_EQ(moved, text);
    EXPECT_EQ(moved.text(), "text");
    text = copy;
    EXPECT_EQ(text, copy);
    EXPECT_LT(NumberOrText(), moved);
    EXPECT_LT(moved, NumberOrText(std::uint64_t{0}));
    EXPECT_LT(NumberOrText(std::uint64_t{8}), NumberOrText(std::uint64_t{9}));
    EXPECT_EQ(InternedString::table_size(), before + 1);
  }
  EXPECT_EQ(InternedString::table_size(), before);
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
