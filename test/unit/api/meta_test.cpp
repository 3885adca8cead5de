#include "client/api/meta.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dcm::api {
namespace {

constexpr std::string_view kUuid = "3f1c9d52-7e0a-4b6d-9c11-8a5e2d40f7b3";
constexpr std::string_view kZeroUuid = "00000000-0000-0000-0000-000000000000";

TEST(Uid, preserves_every_text) {
  for (const std::string_view text : {
           kUuid,
           kZeroUuid,
           std::string_view("00000000-0000-0000-0000-000000000001"),
           std::string_view("3F1C9D52-7E0A-4B6D-9C11-8A5E2D40F7B3"),   // upper case: another text
           std::string_view("3f1c9d52-7e0a-4b6d-9c11-8a5e2d40f7bg"),   // no hexadecimal digit
           std::string_view("3f1c9d527-e0a-4b6d-9c11-8a5e2d40f7b3"),   // hyphen in the wrong place
           std::string_view("3f1c9d52-7e0a-4b6d-9c11-8a5e2d40f7b"),    // too short
           std::string_view("3f1c9d52-7e0a-4b6d-9c11-8a5e2d40f7b35"),  // too long
           std::string_view("any text"),
           std::string_view(),
       }) {
    EXPECT_EQ(Uid(text).str(), text);
    EXPECT_EQ(Uid(text), Uid(text));
    EXPECT_EQ(Uid(text).hash(), Uid(text).hash());
    EXPECT_EQ(Uid(text).empty(), text.empty());
  }
}

TEST(Uid, distinguishes_zero_uuid_from_none) {
  EXPECT_NE(Uid(kZeroUuid), Uid());
  EXPECT_FALSE(Uid(kZeroUuid).empty());
}

TEST(Uid, is_case_sensitive) {
  EXPECT_NE(Uid(kUuid), Uid("3F1C9D52-7E0A-4B6D-9C11-8A5E2D40F7B3"));
}

TEST(Uid, copies_are_equal_and_independent) {
  for (const std::string_view text : {kUuid, std::string_view("not a uuid")}) {
    Uid original(text);
    const Uid copy = original;
    original = Uid("another");
    EXPECT_EQ(copy.str(), text);
    Uid assigned("something else");
    assigned = copy;
    EXPECT_EQ(assigned, copy);
    const Uid& self = assigned;
    assigned = self;
    EXPECT_EQ(assigned.str(), text);
  }
}

TEST(Uid, orders_none_before_texts_before_uuids) {
  EXPECT_LT(Uid("10000000-0000-4000-8000-000000000000"), Uid(kUuid));
  EXPECT_LT(Uid(), Uid("a text"));
  EXPECT_LT(Uid("a text"), Uid("b text"));
  EXPECT_LT(Uid("b text"), Uid(kUuid));
}

struct Older {
  std::string_view why;
  std::string_view older;
  std::string_view newer;
};

TEST(ResourceVersion, orders_numerically) {
  constexpr Older kRows[] = {
      {"none is older than a number", "", "0"},
      {"none is older than a text", "", "abc"},
      {"any text is older than any number", "zzz", "0"},
      {"numbers compare by value, not as text", "9", "10"},
      {"numbers of one length compare by digit", "81507", "81533"},
      {"no number is too long", "18446744073709551615", "18446744073709551616"},
      {"up to the largest of 64 bits", "18446744073709551614", "18446744073709551615"},
      {"none is older than the longest number", "", "99999999999999999999999"},
      {"a long text is no long number", "999999999999999999999x", "0"},
      {"a leading zero makes it a text", "0999", "1"},
      {"a sign makes it a text", "-5", "1"},
  };
  for (const Older& row : kRows) {
    SCOPED_TRACE(row.why);
    EXPECT_LT(ResourceVersion(row.older), ResourceVersion(row.newer));
    EXPECT_GT(ResourceVersion(row.newer), ResourceVersion(row.older));
    EXPECT_NE(ResourceVersion(row.newer), ResourceVersion(row.older));
  }
  EXPECT_EQ(ResourceVersion("42") <=> ResourceVersion("42"), std::strong_ordering::equal);
}

TEST(ResourceVersion, preserves_every_text) {
  for (const std::string_view text : {"", "0", "7", "18446744073709551614", "18446744073709551615",
                                      "99999999999999999999999", "007", "-5", "+5", "1 ", "abc"}) {
    const ResourceVersion version(text);
    EXPECT_EQ(version.str(), text);
    EXPECT_EQ(version.empty(), text.empty());
    const ResourceVersion copy = version;
    EXPECT_EQ(copy, version);
    EXPECT_EQ(copy.str(), text);
  }
}

TEST(NamespacedName, prints_namespace_only_if_present) {
  EXPECT_EQ((NamespacedName{"lab", "trainer"}.str()), "lab/trainer");
  EXPECT_EQ((NamespacedName{{}, "node-a"}.str()), "node-a");
}

// Owner references can hold any UID. These used to have the same hash: their halves cancel out.
TEST(Uid, has_a_hash_that_nobody_can_choose) {
  std::set<std::size_t> hashes;
  for (std::uint64_t high = 1; high <= 10; ++high) {
    // The former hash: high ^ rotl(low * factor, 31), with the inverse of that factor.
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
    std::uint64_t inverse = kFactor;
    for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
    const std::uint64_t low = std::rotr(high, 31) * inverse;
    const auto hex = [](std::uint64_t word) { return fmt::format("{:016x}", std::byteswap(word)); };
    const std::string digits = hex(high) + hex(low);
    hashes.insert(std::hash<Uid>{}(Uid(digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-" +
                                       digits.substr(12, 4) + "-" + digits.substr(16, 4) + "-" +
                                       digits.substr(20))));
  }
  EXPECT_EQ(hashes.size(), 10U);
}

}  // namespace
}  // namespace dcm::api
