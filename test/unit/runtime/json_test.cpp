#include "runtime/json.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(ParseJson, reads_what_api_servers_store) {
  EXPECT_TRUE(parse_json(nested(10'000)));
  EXPECT_EQ(parse_json(nested(10'001)).error().message, "not JSON: too deep");
  EXPECT_EQ(parse_json("{} {}").error().reason, Reason::malformed);
  EXPECT_EQ(parse_json_object("[]").error().message, "not a JSON object");
}

TEST(TextAt, is_empty_without_such_text) {
  const auto whole = parse_json(R"({"a":{"b":"x","c":7,"d":["y"]}})");
  ASSERT_TRUE(whole);
  EXPECT_EQ(text_at(*whole, "/a/b"), "x");
  EXPECT_EQ(text_at(*whole, "/a/c"), "");
  EXPECT_EQ(text_at(*whole, "/z/b"), "");
  EXPECT_EQ(text_at(*whole, "no pointer"), "");
  EXPECT_EQ(integer_at(*whole, "/a/c"), 7);
  EXPECT_EQ(integer_at(*whole, "/a/b"), 0);
  EXPECT_EQ(array_at(*whole, "/a/d").size(), 1U);
  EXPECT_TRUE(array_at(*whole, "/a").empty());
  EXPECT_EQ(object_at(*whole, "/a").size(), 3U);
  EXPECT_TRUE(object_at(*whole, "/a/d").empty());
}

TEST(TextAt, reads_from_object) {
  const auto whole = parse_json_object(R"({"a":{"b":"x","c":7,"d":["y"]},"e":"z"})");
  ASSERT_TRUE(whole);
  EXPECT_EQ(text_at(*whole, "/a/b"), "x");
  EXPECT_EQ(text_at(*whole, "/e"), "z");
  EXPECT_EQ(text_at(*whole, "/z/b"), "");
  EXPECT_EQ(text_at(*whole, "/e/b"), "");
  EXPECT_EQ(integer_at(*whole, "/a/c"), 7);
  EXPECT_EQ(array_at(*whole, "/a/d").size(), 1U);
  EXPECT_EQ(find_at(*whole, ""), nullptr);
  EXPECT_EQ(find_at(*whole, "e"), nullptr);
}

}  // namespace
}  // namespace dcm::runtime
