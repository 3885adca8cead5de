#include "runtime/http/gzip.hpp"

#include <gmock/gmock.h>

#include "test/support/gzip.hpp"

namespace dcm::http {
namespace {

using runtime::Reason;
using runtime::Result;

// The concatenated `pieces`, inflated through an output of `output_bytes`.
Result<std::string> inflate_all(Inflater& inflater, const std::vector<std::string_view>& pieces,
                                std::size_t output_bytes) {
  std::string inflated;
  std::string output(output_bytes, '\0');
  for (std::string_view piece : pieces) {
    bool may_hold_more = true;
    while (!piece.empty() || may_hold_more) {
      const auto step = inflater.inflate(piece, output);
      if (!step) return runtime::fail(step.error());
      piece.remove_prefix(step->consumed);
      inflated.append(output, 0, step->produced);
      may_hold_more = step->produced == output.size();
    }
  }
  return inflated;
}

TEST(Inflater, reads_members_in_any_two_pieces) {
  const std::string bytes =
      test::gzip("first event\n") + test::gzip("") + test::gzip("second event\n");
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    for (const std::size_t output_bytes : {1U, 2U, 5U, 1000U}) {
      const std::string_view all = bytes;
      Inflater inflater;
      const auto inflated =
          inflate_all(inflater, {all.substr(0, split), all.substr(split)}, output_bytes);
      ASSERT_TRUE(inflated) << inflated.error().message;
      EXPECT_EQ(*inflated, "first event\nsecond event\n");
      EXPECT_TRUE(inflater.at_member_end());
    }
  }
}

TEST(Inflater, delivers_member_on_arrival) {
  Inflater inflater;
  std::string output(100, '\0');
  const auto step = inflater.inflate(test::gzip("event\n"), output);
  ASSERT_TRUE(step);
  EXPECT_EQ(output.substr(0, step->produced), "event\n");
}

TEST(Inflater, never_exceeds_given_output) {
  const std::string bomb = test::gzip(std::string(10'000'000, '\0'));
  ASSERT_LT(bomb.size(), 100'000U);
  Inflater inflater;
  std::string output(1000, 'x');
  const auto step = inflater.inflate(bomb, output);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->produced, 1000U);
  EXPECT_LT(step->consumed, bomb.size());
}

TEST(Inflater, detects_end_within_member) {
  const std::string bytes = test::gzip("event\n");
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    Inflater inflater;
    const auto inflated = inflate_all(inflater, {std::string_view(bytes).substr(0, size)}, 100);
    ASSERT_TRUE(inflated) << inflated.error().message;
    EXPECT_FALSE(inflater.at_member_end()) << size;
  }
}

// TLS has authenticated the bytes; a checksum costs as much as inflating them.
TEST(Inflater, ignores_checksum) {
  std::string bytes = test::gzip("event\n");
  bytes[bytes.size() - 6] ^= 1;
  Inflater inflater;
  const auto inflated = inflate_all(inflater, {bytes}, 100);
  ASSERT_TRUE(inflated) << inflated.error().message;
  EXPECT_EQ(*inflated, "event\n");
  EXPECT_TRUE(inflater.at_member_end());
}

TEST(Inflater, reports_offset_of_invalid_gzip) {
  const std::string good = test::gzip("event\n");
  constexpr std::size_t kHeadBytes = 10;
  std::string unknown_block = good;
  unknown_block[kHeadBytes] = '\xff';
  const std::string rows[] = {"{\"kind\":\"Pod\"}", good + "tail", good + std::string(20, '\0'),
                              unknown_block};
  for (const auto& row : rows) {
    Inflater inflater;
    const auto inflated = inflate_all(inflater, {row}, 100);
    ASSERT_FALSE(inflated);
    EXPECT_EQ(inflated.error().reason, Reason::malformed);
    EXPECT_THAT(inflated.error().message, testing::HasSubstr("at byte "));
  }
}

}  // namespace
}  // namespace dcm::http
