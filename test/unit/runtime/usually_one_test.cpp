#include "runtime/usually_one.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Texts = UsuallyOne<std::string>;

TEST(UsuallyOne, holds_elements_in_order) {
  Texts texts;
  EXPECT_THAT(texts, IsEmpty());
  for (const char* text : {"a", "b", "c", "d"}) EXPECT_EQ(texts.push_back(text), text);
  EXPECT_THAT(texts, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(texts[2], "c");
}

TEST(UsuallyOne, keeps_one_element_in_itself) {
  Texts texts;
  texts.push_back("a");
  const auto* const first = reinterpret_cast<const std::byte*>(texts.begin());
  const auto* const self = reinterpret_cast<const std::byte*>(&texts);
  EXPECT_TRUE(first >= self && first < self + sizeof(texts));
  EXPECT_EQ(texts.heap_bytes(), 0U);
  EXPECT_EQ(sizeof(texts), sizeof(std::string) + 8);
  texts.push_back("b");
  texts.shrink_to_fit();
  EXPECT_EQ(texts.heap_bytes(), 2 * sizeof(std::string));
}

TEST(UsuallyOne, takes_elements_again_after_clear) {
  for (const Texts& full : {Texts{"a"}, Texts{"a", "b", "c"}}) {
    Texts texts = full;
    texts.clear();
    EXPECT_THAT(texts, IsEmpty());
    EXPECT_EQ(texts, Texts());
    texts.push_back("d");
    EXPECT_EQ(texts, Texts{"d"});
    EXPECT_EQ(texts.heap_bytes(), 0U);
  }
}

TEST(UsuallyOne, compares_elements) {
  EXPECT_EQ((Texts{"a", "b"}), (Texts{"a", "b"}));
  EXPECT_NE((Texts{"a", "b"}), (Texts{"a", "c"}));
  EXPECT_NE((Texts{"a"}), (Texts{"a", "b"}));
  EXPECT_NE(Texts{"a"}, Texts());
}

TEST(UsuallyOne, takes_elements_that_only_move) {
  UsuallyOne<std::unique_ptr<int>> numbers;
  numbers.emplace_back() = std::make_unique<int>(1);
  numbers.push_back(std::make_unique<int>(2));
  const auto moved = std::move(numbers);
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(*moved[0] + *moved[1], 3);
}

}  // namespace
}  // namespace dcm::runtime
